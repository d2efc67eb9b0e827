#include "tutti/bootstrap/store_server.hpp"

#include <utility>

#include "bootstrap/server_loop.hpp"

namespace tutti {

StoreServer::StoreServer(const Endpoint& endpoint, Admission admission, ServerLimits limits, const std::string& listen)
    : loop_(std::make_unique<Loop>(endpoint, std::move(admission), limits, listen)) {}

StoreServer::~StoreServer() = default;

std::shared_ptr<Store> StoreServer::store() const { return store_on(loop_->table()); }
Endpoint StoreServer::endpoint() const { return loop_->endpoint(); }
std::size_t StoreServer::members() const { return loop_->members(); }
void StoreServer::retire() { loop_->retire(); }
bool StoreServer::finished() const { return loop_->finished(); }

}  // namespace tutti
