import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** While a file of this name exists, `wait` continues. */
const HOLD = process.env['TELLER_HOLD']

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
    const isHeld = (): boolean => HOLD !== undefined && existsSync(HOLD)
    while (isHeld()) await delay(20)
    return { waited: ms, run: randomUUID() }
  },
}
