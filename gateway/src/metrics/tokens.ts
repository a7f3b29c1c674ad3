/** The requests of one token. */
export class TokenNumbers {
  requests = 0;
  /** Requests that ended with a status from 400 on. */
  errors = 0;
  commands = 0;
  requestBytes = 0;
  responseBytes = 0;
}
