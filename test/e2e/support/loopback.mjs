/**
 * Loaded before a server that would listen on every address: it listens on 127.0.0.1 alone, on any free port, and says
 * which on standard error.
 */
import { Server } from 'node:net'

const { listen } = Server.prototype
Server.prototype.listen = function listenHere(port, ...rest) {
  const done = rest.find((argument) => typeof argument === 'function')
  // Nor is an idle connection closed while a busy machine takes its time to use it.
  this.keepAliveTimeout = 60_000
  this.once('listening', () => process.stderr.write(`listening on 127.0.0.1:${this.address().port}\n`))
  return listen.call(this, Number(port), '127.0.0.1', done)
}
