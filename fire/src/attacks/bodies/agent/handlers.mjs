import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** While a file of this name exists, slow jobs continue. */
const HOLD = process.env['COUNTER_HOLD'] ?? ''

// oxlint-disable-next-line import/no-default-export -- as every file of handlers
export default {
  count: async ({ records, slow }) => {
    const count = records.length
    if (slow) await heldUp()
    return { count }
  },
}

async function heldUp() {
  writeFileSync(`${HOLD}.begun`, '')
  while (existsSync(HOLD)) await delay(50)
}
