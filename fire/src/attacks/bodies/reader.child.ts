import { READERS, startReaders, type ReaderName } from './readers.ts'

// A process of its own, so that what is measured is a reader and not the server it reads from.
const [name = ''] = process.argv.slice(2)
if (!isReader(name)) throw new Error(`${name} is no reader`)
process.once('disconnect', () => process.exit(0))
process.send?.('ready')
// Each message says where to read from, and how often at once.
process.on('message', ({ url, count }: { readonly url: string; readonly count: number }) => {
  void startReaders(name, url, count)
})

function isReader(word: string): word is ReaderName {
  return Object.hasOwn(READERS, word)
}
