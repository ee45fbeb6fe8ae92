import type { JsonObject } from '@farebox/protocol/fields/field'
import { useEffect } from 'react'
import type { SignedOrder } from '../kept/order.ts'
import { takeInput } from './input-again.ts'

/** Fills a form with what this browser keeps: a job to resume, or an input to run again. */
export function useKeptInput(
  { agentId, capability }: { readonly agentId: number; readonly capability: string },
  form: {
    /** The job that the address names. */
    readonly jobId: string | null
    readonly setInput: (input: JsonObject) => void
    readonly showOrder: (order: SignedOrder) => void
  },
): void {
  const { jobId, setInput, showOrder } = form
  useEffect(() => {
    const find = async (): Promise<void> => {
      const { orderJournal, listOrders } = await import('../kept/order-store.ts')
      const order =
        jobId === null ? findJustOrdered(await listOrders(1), capability) : await orderJournal.read(jobId)
      if (order?.agent_id !== agentId) return
      setInput(order.input)
      showOrder(order)
    }
    find().catch(() => undefined)
  }, [jobId, agentId, capability, setInput, showOrder])
  useEffect(() => {
    const again = takeInput(agentId, capability)
    if (again !== undefined) setInput(again)
  }, [agentId, capability, setInput])
}

/**
 * If a page is reloaded within this time after the button was pressed, it shows that job instead of offering to pay again.
 */
const JUST_ORDERED_SECONDS = 30

function findJustOrdered([newest]: readonly SignedOrder[], capability: string): SignedOrder | undefined {
  const isJustOrdered =
    newest?.capability === capability &&
    newest.refusal === undefined &&
    typeof newest.job?.finished_at !== 'number' &&
    Date.now() / 1_000 - newest.created_at < JUST_ORDERED_SECONDS
  return isJustOrdered ? newest : undefined
}
