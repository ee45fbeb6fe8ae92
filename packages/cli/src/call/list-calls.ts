import { systemClock } from '@farebox/protocol/time/clock'
import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { EXIT, type ExitCode } from '../command-error.ts'
import { asTyped, paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { type CallRecord, openCallJournal } from './journal/call-journal.ts'
import { tellDamaged } from '../home/record-folder.ts'

/** `--list`: shows the calls in the journal, those without an outcome first; unreadable files are listed by name. */
export async function listCalls(world: World, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const { records: calls, damaged } = await openCallJournal(world.home, systemClock).list()
  if (json) {
    world.out.write(`${printableJson({ calls: calls.map(documentOf), damaged })}\n`)
    return EXIT.done
  }
  if (calls.length === 0) world.err.write('  the journal has no paid calls\n')
  for (const call of calls) world.out.write(`${rowOf(world, call)}\n`)
  tellDamaged(world, damaged)
  if (calls[0]?.state === 'sent') {
    world.err.write(
      `\n  ${asTyped(world, 'farebox call --resume')} asks again for the newest of the unresolved, without paying again\n`,
    )
  }
  return EXIT.done
}

function stateOf(call: CallRecord): string {
  if (call.state === 'sent') return 'unresolved'
  if (call.state === 'completed') return 'completed'
  return call.document['charged'] === 'yes' ? 'charged, no answer' : 'failed'
}

function rowOf({ out }: World, call: CallRecord): string {
  const { yellow, dim } = paintFor(out)
  const when = new Date(call.startedAt * 1_000)
  const state = stateOf(call).padEnd(10)
  const columns = [
    call.jobId,
    call.state === 'sent' ? yellow(state) : state,
    `${when.toLocaleDateString('en-CA')} ${when.toLocaleTimeString('en-GB')}`,
    `${printable(call.price)} USDC`.padStart(13),
    `${printable(call.declaration.name)} · ${printable(call.capability)}`,
    dim(printable(call.agentUrl)),
  ]
  return columns.join('  ')
}

function documentOf(call: CallRecord): object {
  return {
    job_id: call.jobId,
    state: call.state === 'sent' ? 'unresolved' : call.state,
    agent: call.declaration.name,
    url: call.agentUrl,
    capability: call.capability,
    price: call.price,
    network: call.network,
    payer: call.payer,
    pay_to: call.payTo,
    started_at: call.startedAt,
    ...(call.state === 'sent' ? {} : { ended_at: call.endedAt, result: call.document }),
  }
}
