/** Passes messages within a process from publishers to subscribers. */
export interface Channel<Message> {
  /** Calls `receive` with each message from now on, until the returned function is called. */
  subscribe(receive: (message: Message) => void): () => void
  /** Without subscribers a message is lost, so its content must be in the database as well. */
  publish(message: Message): void
}

/** Creates a channel without subscribers. */
export function createChannel<Message>(): Channel<Message> {
  const subscribers = new Set<(message: Message) => void>()
  return {
    subscribe(receive) {
      // Wrapped, so that the same function can subscribe twice.
      const subscriber = (message: Message): void => receive(message)
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    publish(message) {
      for (const receive of subscribers) receive(message)
    },
  }
}
