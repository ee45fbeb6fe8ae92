import type { JsonObject } from '@farebox/protocol/fields/field'

/** The key in this tab's storage: an input to run again, stored until the form has read it. */
const KEPT = 'farebox-again'

interface InputAgain {
  readonly agentId: number
  readonly capability: string
  readonly input: JsonObject
}

/** Stores an input for the form of its capability, which is about to be opened. */
export function keepInput(again: InputAgain): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(again))
  } catch {
    // The input exceeds the browser's storage limit, so the form opens empty.
  }
}

/** Reads the input stored for this form, and removes it. */
export function takeInput(agentId: number, capability: string): JsonObject | undefined {
  const kept = sessionStorage.getItem(KEPT)
  if (kept === null) return undefined
  const again = JSON.parse(kept) as InputAgain
  if (again.agentId !== agentId || again.capability !== capability) return undefined
  sessionStorage.removeItem(KEPT)
  return again.input
}
