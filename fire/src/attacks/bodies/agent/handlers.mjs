import { setTimeout as delay } from 'node:timers/promises'

// oxlint-disable-next-line import/no-default-export -- as every file of handlers
export default {
  count: async ({ records, seconds }) => {
    const count = records.length
    await delay(seconds * 1_000)
    return { count }
  },
}
