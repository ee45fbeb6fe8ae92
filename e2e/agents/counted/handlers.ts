import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

async function tell({ text, wait_ms, tell_url }: { text: string; wait_ms: number; tell_url?: string }) {
  if (tell_url !== undefined) await fetch(tell_url, { method: 'POST' })
  await delay(wait_ms)
  return { text, run: randomUUID() }
}

export default { tell, other: ({ text }: { text: string }) => ({ text }) }
