import { findNetwork } from '@farebox/payments/networks'
import type { Receipt } from '@farebox/platform-api/receipt'
import { namePaidNetwork } from '../chain/name-network.ts'
import { paintFor } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import type { World } from '../world.ts'

/** What a receipt states, a line each. Texts in it are an agent's. */
export function showReceipt({ out }: World, receipt: Receipt): void {
  const { dim } = paintFor(out)
  const network = findNetwork(receipt.network)
  const rows = [
    ['agent', `${receipt.agent_id}  ${receipt.endpoint}`],
    ['capability', receipt.capability],
    [
      'amount',
      `${receipt.amount} USDC on ${network === undefined ? `a chain unknown here (${receipt.network})` : namePaidNetwork(network, receipt.iss, undefined)}`,
    ],
    ['payer', receipt.payer],
    ['paid to', receipt.pay_to],
    ['transaction', receipt.transaction],
    ['job', `sha256 ${receipt.job}`],
    ['input', `sha256 ${receipt.input}`],
    ['output', `sha256 ${receipt.output}`],
    ['completed', moment(receipt.completed_at)],
    ['signed', moment(receipt.iat)],
  ]
  out.write(rows.map(([name = '', text = '']) => `${dim(name.padEnd(13))}${printable(text)}\n`).join(''))
}

function moment(seconds: number): string {
  const date = new Date(seconds * 1_000)
  return Number.isNaN(date.getTime())
    ? String(seconds)
    : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
