import type { JsonObject } from '@farebox/protocol/fields/field'

/** In the storage of this tab: the input that is to be run again, until the form has it. */
const KEPT = 'farebox-again'

interface InputAgain {
  readonly agentId: number
  readonly capability: string
  readonly input: JsonObject
}

/** Keeps an input for the form of its capability, which is about to be opened. */
export function keepInput(again: InputAgain): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(again))
  } catch {
    // Larger than browsers keep: the form opens empty.
  }
}

/** The input that was kept for this form, once. */
export function takeInput(agentId: number, capability: string): JsonObject | undefined {
  const kept = sessionStorage.getItem(KEPT)
  if (kept === null) return undefined
  const again = JSON.parse(kept) as InputAgain
  if (again.agentId !== agentId || again.capability !== capability) return undefined
  sessionStorage.removeItem(KEPT)
  return again.input
}
