import type { Flow } from '@farebox/flows/document/flow'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useEffect, useRef, type ReactNode } from 'react'
import { groupDigits, toAtomic } from '../../format/amount.ts'
import { FailureNote, Note } from '../../parts/note.tsx'
import { Words } from '../../parts/words.tsx'
import { FundButton } from '../../purse/fund-button.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import { describeInput, describePlan } from './describe-plan.ts'
import { PaymentLines } from './payment-lines.tsx'
import type { PriceChange, SigningPlan } from './plan-signing.ts'
import { SheetLimits } from './sheet-limits.tsx'
import type { Signing } from './use-signing.ts'

interface Props {
  readonly flow: Flow
  readonly signing: Signing
  readonly input: JsonObject
  readonly fields: FieldMap
  /** Requests the prices again. */
  readonly again: () => void
  readonly sign: () => void
  /** Goes back to the input. */
  readonly change: () => void
  readonly close: () => void
}

/** All payments of a run, before and while they are signed. */
export function PaymentStep(props: Props): ReactNode {
  const { signing, again, close } = props
  switch (signing.step) {
    case 'idle':
    case 'quoting':
      return (
        <p className="quiet above" role="status">
          Getting prices from the agents…
        </p>
      )
    case 'unquoted':
      return (
        <>
          <div className="above">
            <FailureNote error={signing.failure} again={again} />
          </div>
          <div className="acts">
            <button type="button" className="button" onClick={close}>
              Not now
            </button>
          </div>
        </>
      )
    default:
      return <Planned {...props} signing={signing} />
  }
}

type InPlan = Extract<Signing, { readonly plan: SigningPlan }>

function Planned(props: Props & { readonly signing: InPlan }): ReactNode {
  const { signing, input, fields, change } = props
  const { plan } = signing
  const isReady = signing.step === 'ready'
  return (
    <>
      <p className="quiet above">{describePlan(plan)}</p>
      {Object.keys(fields).length > 0 && (
        <p className="small above">
          <span className="faint">Input</span> <Words of={describeInput(input)} most={120} />{' '}
          {isReady && (
            <button type="button" className="link" onClick={change}>
              Change
            </button>
          )}
        </p>
      )}
      <Notes {...props} />
      <SheetLimits flow={props.flow} />
      <PaymentLines plan={plan} signed={signedOf(signing)} />
      <dl className="totals">
        {plan.later.length > 0 && (
          <div>
            <dt>Signed now</dt>
            <dd>{groupDigits(plan.atStart)} USDC</dd>
          </div>
        )}
        <div className="most">
          <dt>Maximum total</dt>
          <dd>
            <b>{groupDigits(plan.atMost)}</b> USDC
          </dd>
        </div>
      </dl>
      <Buttons {...props} />
      <From plan={plan} />
    </>
  )
}

function signedOf(signing: InPlan): number {
  if (signing.step === 'starting') return signing.plan.now.length
  return signing.step === 'signing' ? signing.number - 1 : 0
}

/** The reason why the payments cannot be signed, or the change since they were shown. */
function Notes({ signing, again }: Props & { readonly signing: InPlan }): ReactNode {
  const { plan } = signing
  if (signing.step !== 'ready') return null
  if (plan.problems.length > 0)
    return (
      <Note tone="warn" alert>
        {plan.problems.map(({ name, sentence }) => (
          <p key={name}>
            <b>
              <Words of={name} most={64} />:
            </b>{' '}
            <Words of={sentence} />
          </p>
        ))}
        <p>
          The run cannot start without this price. Nothing has been signed.{' '}
          <button type="button" className="link" onClick={again}>
            Check again
          </button>
        </p>
      </Note>
    )
  if (signing.stopped !== undefined) return <Halt stopped={signing.stopped} again={again} />
  if (plan.changes.length > 0 || signing.isOther)
    return (
      <Note tone="warn" alert>
        {plan.changes.map(change => (
          <p key={change.key}>
            <b>
              <Words of={change.name} most={64} /> now charges {change.to} USDC, but {whenSaid(change)}.
            </b>
          </p>
        ))}
        <p>
          {plan.changes.length === 0 && 'The agents have changed their terms since this page showed them. '}
          Nothing has been signed. You will sign only for what is listed here.
        </p>
      </Note>
    )
  return null
}

function whenSaid({ from }: PriceChange): string {
  return `the price was ${from} when the flow was made`
}

function Halt(props: {
  readonly stopped: NonNullable<Extract<Signing, { readonly step: 'ready' }>['stopped']>
  readonly again: () => void
}): ReactNode {
  const { stopped, again } = props
  const { fund, chooseOther } = usePurse()
  return (
    <Note tone={stopped.tone} alert>
      <p>{stopped.sentence}</p>
      {stopped.isShort === true && (
        <p className="acts">
          {fund !== undefined && <FundButton fund={fund} done={again} />}
          <button type="button" className="button" onClick={chooseOther}>
            Use another wallet
          </button>
        </p>
      )}
    </Note>
  )
}

function Buttons({ signing, sign, close }: Props & { readonly signing: InPlan }): ReactNode {
  const { plan } = signing
  const count = plan.now.length
  const button = useRef<HTMLButtonElement>(null)
  // The pressed button is gone, so this button takes the focus.
  useEffect(() => button.current?.focus({ preventScroll: true }), [])
  return (
    <div className="acts sign-acts">
      <button type="button" className="button" disabled={signing.step === 'starting'} onClick={close}>
        {signing.step === 'signing' && count > 1 ? 'Stop without starting' : 'Not now'}
      </button>
      <button
        ref={button}
        type="button"
        className={count === 0 ? 'button solid tall' : 'button fare'}
        disabled={signing.step !== 'ready' || plan.problems.length > 0}
        onClick={sign}
      >
        {labelOf(signing)}
      </button>
    </div>
  )
}

function labelOf(signing: InPlan): string {
  const { plan } = signing
  const count = plan.now.length
  switch (signing.step) {
    case 'preparing':
      return 'Opening the wallet…'
    case 'signing':
      return `Signing ${signing.number} of ${count}…`
    case 'starting':
      return 'Starting…'
    case 'ready':
      if (count === 0) return plan.later.length === 0 ? 'Run it, free' : 'Start (nothing to sign yet)'
      return `Sign ${count === 1 ? '1 payment' : `${count} payments`}, ${groupDigits(plan.atStart)} USDC`
  }
}

/** The wallet that pays, its balance, and whether the balance is sufficient. */
function From({ plan }: { readonly plan: SigningPlan }): ReactNode {
  const { wallet, balance } = usePurse()
  const [has, needs] = [balance === undefined ? undefined : toAtomic(balance.usdc), toAtomic(plan.atMost)]
  const isShort = has !== undefined && needs !== undefined && has < needs
  return (
    <p className="tiny on-stock">
      {wallet === undefined ? (
        'You will pay from a wallet you choose. '
      ) : (
        <>
          You will pay from your <bdi>{wallet.name}</bdi>
          {balance !== undefined && ` (${groupDigits(balance.usdc)} USDC available)`}
          {isShort && ', but the run can cost more'}.{' '}
        </>
      )}
      Everything you sign is stored in this browser before it is sent, so you will not lose anything if you
      close this page.
    </p>
  )
}
