/**
 * Returns the error of a connection that could not be opened, with what to do about it.
 * @param error the socket's own. Its message may be empty, with an error for each address of the host.
 */
export function createConnectError(error: NodeJS.ErrnoException & { errors?: Error[] }): Error {
  const { code = "", errors = [] } = error;
  const reason = error.message.trim() || errors.map(({ message }) => message).join(", ") || code;
  const message = /^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)/.test(code)
    ? "the server does not use TLS at this port: url must begin with http://, or have another port"
    : /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)
      ? `${reason}: pass its authority as tls: { ca }, or in NODE_EXTRA_CA_CERTS`
      : /NO_APPLICATION_PROTOCOL/.test(code)
        ? "the server does not speak HTTP/1.1: allow it besides HTTP/2, at the server or the proxy in front of it"
        : reason;
  return Object.assign(new Error(message, { cause: error }), code && { code });
}
