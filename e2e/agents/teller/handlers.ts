import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

const stumbled = new Set<string>()

const words = (text: string): number => text.split(/\s+/).filter(word => word !== '').length

export default {
  count: ({ text, times }: { readonly text: string; readonly times: number }) => ({
    words: times * words(text),
  }),
  stumble({ text }: { readonly text: string }) {
    if (!stumbled.has(text)) {
      stumbled.add(text)
      throw new Error('stumbled')
    }
    return { words: words(text) }
  },
  async wait({ ms }: { readonly ms: number }) {
    await delay(ms)
    return { waited: ms, run: randomUUID() }
  },
}
