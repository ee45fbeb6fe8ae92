/** Passes messages within a process from those that publish them to those that subscribe. */
export interface Channel<Message> {
  /** Calls `receive` with each message from now on, until the returned function is called. */
  subscribe(receive: (message: Message) => void): () => void
  /** Without subscribers a message is lost, so it must be in the database as well. */
  publish(message: Message): void
}

/** Makes a channel without subscribers. */
export function createChannel<Message>(): Channel<Message> {
  const subscribers = new Set<(message: Message) => void>()
  return {
    subscribe(receive) {
      // The same function may subscribe twice.
      const subscriber = (message: Message): void => receive(message)
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    publish(message) {
      for (const receive of subscribers) receive(message)
    },
  }
}
