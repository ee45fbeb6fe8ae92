import { READERS, type ReaderName } from './readers.ts'

/** Which reader is to read from where, and how often at once. */
export interface ReadOrder {
  readonly name: ReaderName
  readonly url: string
  readonly count: number
}

// A process of its own, so that what is measured is a reader and not the server it reads from. It says when it is ready,
// and when all readers of an order have ended; how they ended is no matter.
process.once('disconnect', () => process.exit(0))
process.on('message', ({ name, url, count }: ReadOrder) => {
  const reading = Array.from({ length: count }, () => READERS[name](url))
  void Promise.allSettled(reading).then(() => process.send?.('ended'))
})
process.send?.('ready')
