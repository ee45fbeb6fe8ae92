// Written by farebox types from agent.json; farebox dev keeps it fresh. Do not edit.

import type { JobContext } from 'farebox'

export type PayInvoiceInput = {
  /** As the invoice has it. 1–60 characters. */
  invoice_number: string
  /** Address of who is paid. Matches `^0x[0-9a-fA-F]{40}$`. */
  recipient: string
  /** In USDC, as text. Matches `^(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$`. */
  amount: string
  /** Until when it is to be paid. Format `date`. */
  due_date?: string
}

export type PayInvoiceOutput = {
  invoice_number: string
  /** What was paid, in USDC. */
  amount: string
  /** Its hash: in a block of the chain. */
  transaction: string
  /** True where an earlier attempt at this very job had paid it. */
  was_paid_before: boolean
  /** Whether the due date had passed in UTC. */
  was_overdue?: boolean | undefined
}

export type Handlers = {
  /**
   * Pays one invoice in USDC, from the wallet that pays for the job, and answers with the
   * transaction. 0.01 USDC a job.
   */
  pay_invoice: (
    input: PayInvoiceInput,
    context: JobContext,
  ) => PayInvoiceOutput | Promise<PayInvoiceOutput>
}

/** For a default export that is just the function. */
export type Handler = Handlers['pay_invoice']
