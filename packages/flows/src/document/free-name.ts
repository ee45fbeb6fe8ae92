import type { Flow, PortRef } from './flow.ts'

/** An unused name: the word itself, or with the next free number. */
export function freeName(taken: readonly string[], word: string): string {
  if (!taken.includes(word)) return word
  let number = 2
  while (taken.includes(`${word}_${number}`)) number += 1
  return `${word}_${number}`
}

/** A name for a new output of the flow: that of the port, combined with that of the step if another output has it. */
export function freeOutput({ outputs }: Flow, { step, port }: PortRef): string {
  return outputs.includes(port) ? freeName(outputs, `${step}_${port}`) : port
}
