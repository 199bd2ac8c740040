// node --require loopback.cjs …: a server that names no host listens on loopback, not on every interface of the machine.
// With a host, listen() knows its address only later; a socket that is bound already keeps it as quick as without.
const net = require('node:net');
const { TCP, constants } = process.binding('tcp_wrap');

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...given) {
  const [first, ...rest] = given;
  const wants = first && typeof first === 'object' ? first : { port: first };
  const port = Number(wants.port ?? NaN);
  if (!Number.isInteger(port) || wants.host || typeof rest[0] === 'string') return listen.apply(this, given);
  const socket = new TCP(constants.SERVER);
  const failed = socket.bind('127.0.0.1', port);
  if (failed) throw new Error(`port ${port} cannot be had (${failed})`);
  return listen.call(this, socket, ...rest.filter((one) => typeof one === 'function'));
};
