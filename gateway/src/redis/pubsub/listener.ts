import type { UpstreamFailure } from "../failure.js";
import type { PendingFrame } from "../frame.js";

/** A listener to channels or patterns. */
export interface Listener {
  /** Called when all requested channels and patterns are subscribed to. Messages follow. */
  onReady(): void;
  /** Called with a message, encoded. Its bytes are shared by all that listen to it. */
  onMessage(encoded: PendingFrame): void;
  /** Called when messages may have been missed before now. */
  onGap(): void;
  /** Called with Redis's error text when it refused to subscribe, or with the failure. No further call follows. */
  onEnd(problem: string | UpstreamFailure): void;
  /**
   * Called when one channel or pattern has been added or removed.
   * @param kind such as `subscribe` or `punsubscribe`
   * @param count how many channels and patterns the listener has now
   */
  onChanged(kind: string, name: Buffer, count: number): void;
}
