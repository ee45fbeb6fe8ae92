import type { FirstJob } from '@farebox/platform-api/wallets'
import type { Violation } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject, JsonValue } from '@farebox/protocol/fields/field'
import { useEffect, useState, type ReactNode } from 'react'
import { groupDigits } from '../../format/amount.ts'
import { Hole, Lines, Sum, Ticket, TicketTitle } from '../../parts/ticket.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import { StopNote } from '../../purse/stop-note.tsx'
import { useNavigation } from '../../site/navigation.ts'
import { useCheckout } from '../../quick-execute/use-checkout.ts'

/** On a local chain, a ticket that is ready to pay; elsewhere an explanation of how a job works. */
export function TryItNow({ first }: { readonly first: FirstJob | null }): ReactNode {
  return first === null ? <HowItWorks /> : <ReadyTicket first={first} />
}

function ReadyTicket({ first }: { readonly first: FirstJob }): ReactNode {
  const fields = first.input_schema as FieldMap
  const [input, setInput] = useState(first.input as JsonObject)
  const { execution, refusal, pay, reset } = useCheckout({
    agentId: first.agent_id,
    agentName: first.agent_name,
    capability: first.capability,
    price: first.price,
    fields,
  })
  useJobPage(first, execution.step === 'ordered' ? execution.order.job_id : undefined)
  const text = Object.entries(fields).find(
    ([name, { type }]) => type === 'string' && typeof input[name] === 'string',
  )
  const others = Object.entries(input).filter(([name]) => name !== text?.[0])
  const isHeld = execution.step === 'preparing' || execution.step === 'ordered'
  const price = execution.step === 'changed' ? execution.quote.amount : undefined
  return (
    <Ticket
      label="Try it now"
      top={
        <>
          <TicketTitle end="not signed yet" hole={<Hole />}>
            <b>Try it now</b>
          </TicketTitle>
          {text !== undefined && (
            <TextField
              label={text[1].description ?? text[0]}
              value={String(input[text[0]] ?? '')}
              change={value => setInput({ ...input, [text[0]]: value })}
              refusal={refusal}
              isHeld={isHeld}
            />
          )}
        </>
      }
    >
      <JobLines first={first} others={others} />
      <Sum amount={first.price} />
      {execution.step === 'stopped' && <StopNote stop={execution} funded={reset} />}
      <button type="button" className="button fare wide" disabled={isHeld} onClick={() => pay(input, price)}>
        {execution.step === 'preparing' ? `${execution.words}…` : `Pay ${price ?? first.price} and run`}
      </button>
      <LocalChainHint />
    </Ticket>
  )
}

/** Navigates to the agent's own page once the job is ordered. That page finds the job in this browser and follows it. */
function useJobPage(first: FirstJob, jobId: string | undefined): void {
  const { go } = useNavigation()
  useEffect(() => {
    if (jobId !== undefined)
      go(`/agents/${first.agent_id}?capability=${encodeURIComponent(first.capability)}&job=${jobId}#run`)
  }, [jobId, first, go])
}

function LocalChainHint(): ReactNode {
  const { wallet } = usePurse()
  return (
    <p className="aside">
      {wallet === undefined || wallet.kind === 'test'
        ? 'You do not need a wallet here because this is a local chain with test money. If the job is not delivered, you are not charged.'
        : 'This is a local chain with test money. If the job is not delivered, you are not charged.'}
    </p>
  )
}

function TextField(props: {
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
  readonly refusal: Violation | undefined
  readonly isHeld: boolean
}): ReactNode {
  const { label, value, change, refusal, isHeld } = props
  return (
    <label className="field">
      <span className="label">
        <b>
          <bdi>{label}</bdi>
        </b>
      </span>
      <textarea
        className="input"
        rows={3}
        disabled={isHeld}
        aria-invalid={refusal !== undefined}
        value={value}
        onChange={event => change(event.target.value)}
      />
      {refusal !== undefined && (
        <span className="hint bad">
          {refusal.field}: {refusal.reason}
        </span>
      )}
    </label>
  )
}

/** The agent, the rest of the input, and the wallet that pays. */
function JobLines(props: {
  readonly first: FirstJob
  readonly others: readonly (readonly [name: string, value: JsonValue])[]
}): ReactNode {
  const { first, others } = props
  const { wallet, balance } = usePurse()
  return (
    <Lines
      of={[
        [
          'Agent',
          <>
            <a href={`/agents/${first.agent_id}`}>
              <bdi>{first.agent_name}</bdi>
            </a>
            , <span className="mono">{first.capability}</span>
          </>,
        ],
        // Every value that is sent is shown.
        ...others.map(
          ([name, value]) =>
            [
              name,
              <bdi key={name} className="mono">
                {typeof value === 'string' ? value : JSON.stringify(value)}
              </bdi>,
            ] as const,
        ),
        [
          'Paid from',
          <>
            <bdi>{wallet?.name ?? 'Test wallet'}</bdi>
            {balance !== undefined && `, ${groupDigits(balance.usdc)} USDC`}
          </>,
        ],
      ]}
    />
  )
}

function HowItWorks(): ReactNode {
  return (
    <Ticket
      label="How it works"
      top={
        <>
          <TicketTitle end="no account needed" hole={<Hole />}>
            <b>How it works</b>
          </TicketTitle>
          <p className="lede small">
            You sign a payment for one job at the price shown. The agent responds, the payment is confirmed
            on-chain, and you get a signed receipt.
          </p>
        </>
      }
    >
      <Lines
        of={[
          [
            'Before you sign',
            'This page requests a quote from the agent and compares it with the price shown.',
          ],
          ['Signature', 'It is valid only for this job, this amount, and this wallet, and it expires.'],
          ['Not delivered', 'You are not charged. The signature expires unused.'],
        ]}
      />
    </Ticket>
  )
}
