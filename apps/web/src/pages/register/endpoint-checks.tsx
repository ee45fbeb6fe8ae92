import type { RegistrationCheck } from '@farebox/platform-api/registration/registration-check'
import type { ReactNode } from 'react'
import { formatDuration } from '../../format/duration.ts'
import { FailureNote, Note } from '../../parts/note.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { When } from '../../parts/when.tsx'
import { useSite } from '../../site/site.ts'
import { Sign } from '../../signs/sign.tsx'
import type { CheckState } from './use-checks.ts'

type Name = RegistrationCheck['name']

/** For each check, in their order, its title for the agent's owner, and the expected result. */
const CHECKS: { readonly [name in Name]: readonly [title: string, wanted: string] } = {
  endpoint: ['Address', 'https, at a public address'],
  unclaimed: ['Available', 'no agent is listed at this endpoint yet'],
  health: ['GET /health', 'version 1.0, status ok'],
  about: ['GET /about', 'capabilities with schemas and prices'],
  health_name: ['Name', 'the same in /health and /about'],
  dev_mode_off: ['Dev mode', 'off, so that unpaid jobs are refused'],
  payment_required: ['POST /execute, unpaid', '402 with payment terms'],
  network: ['Network', 'the same as this platform'],
  price: ['Price', 'the same as in /about'],
  wallet: ['Wallet', 'the same as in /about'],
}

/** On a local chain, the platform also calls agents on this machine. */
const LOCAL_ADDRESS = 'http on this machine, or https at a public address'

const ORDER = Object.keys(CHECKS) as readonly Name[]

/**
 * Each check with its finding and its duration; a failed check adds the rule, the expected and actual values, and the fix.
 */
export function EndpointChecks({ state }: { readonly state: CheckState }): ReactNode {
  const { step, checks, at, tookMs } = state
  if (step === 'passed' && checks.length === 0) return null
  const isAhead = step === 'idle' || step === 'asking'
  return (
    <section aria-labelledby="checks-title">
      <Heading
        look="ruled"
        id="checks-title"
        endLook="num"
        end={
          <>
            {at !== undefined && <When at={at} form="clock" />}
            {tookMs !== undefined && formatDuration(tookMs)}
          </>
        }
      >
        {step === 'idle' ? 'Planned checks' : 'Checks'}
      </Heading>
      <p className="unseen" role="status">
        {describe(state)}
      </p>
      <ul className="checks">
        {checks.map(check => (
          <Check key={check.name} check={check} />
        ))}
        {isAhead && <PlannedChecks checks={checks} isAsking={step === 'asking'} />}
      </ul>
      {step === 'refused' && (
        <Note tone="refused" alert>
          <p>
            <b>Not ready to register.</b> {!checks.some(isFatal) && <bdi>{state.refusal}</bdi>}
          </p>
          <p>Nothing was staked. Fix {describeMarked(checks)}, then check again.</p>
        </Note>
      )}
      {step === 'unknown' && <FailureNote error={state.failure} />}
    </section>
  )
}

function Check({ check }: { readonly check: RegistrationCheck }): ReactNode {
  const { name, ok, severity, detail, ms } = check
  const tone = ok ? 'passed' : severity === 'required' ? 'failed' : 'advised'
  const words = { passed: 'Passed', failed: 'Failed', advised: 'Advice' }
  const signs = { passed: 'check', failed: 'cross', advised: 'warn' } as const
  return (
    <li className={tone}>
      <Sign name={signs[tone]} />
      <b>
        {CHECKS[name][0]}
        <span className="unseen">: {words[tone]}.</span>
      </b>
      <span className="found">
        <bdi>{detail}</bdi>
      </span>
      <span className="num faint small">{ms === null ? '' : formatDuration(ms)}</span>
      {!ok && <Failure check={check} />}
    </li>
  )
}

function Failure({
  check: { rule, expected, got, fix, severity },
}: {
  readonly check: RegistrationCheck
}): ReactNode {
  const lines = [
    ['Rule', rule],
    ['Expected', expected],
    ['Got', got],
    ['Fix', fix],
  ] as const
  return (
    <div className="mend">
      <dl>
        {lines.map(
          ([word, what]) =>
            what !== null && (
              <div key={word}>
                <dt>{word}</dt>
                <dd>
                  <bdi>{what}</bdi>
                </dd>
              </div>
            ),
        )}
      </dl>
      {severity === 'advice' && <p className="faint">This does not block registration.</p>}
    </div>
  )
}

/** Placeholders for pending checks, so that the page does not shift when they complete. */
function PlannedChecks(props: {
  readonly checks: readonly RegistrationCheck[]
  readonly isAsking: boolean
}): ReactNode {
  const { checks, isAsking } = props
  const { local_mode: isLocal } = useSite().platform
  const come = new Set(checks.map(({ name }) => name))
  const ahead = ORDER.filter(name => !come.has(name))
  return ahead.map((name, index) => (
    <li key={name} className={isAsking && index === 0 ? 'here' : 'ahead'}>
      <i aria-hidden="true" />
      <b>{CHECKS[name][0]}</b>
      <span className="found">{name === 'endpoint' && isLocal ? LOCAL_ADDRESS : CHECKS[name][1]}</span>
      <span />
    </li>
  ))
}

function isFatal({ ok, severity }: RegistrationCheck): boolean {
  return !ok && severity === 'required'
}

function describeMarked(checks: readonly RegistrationCheck[]): string {
  const { length: count } = checks.filter(isFatal)
  if (count === 0) return 'this'
  return count === 1 ? 'the marked check' : `the ${count} marked checks`
}

function describe({ step, checks }: CheckState): string {
  if (step === 'idle' || step === 'unknown') return ''
  if (step === 'asking') return 'Checking the endpoint.'
  const failed = checks.filter(({ ok }) => !ok).length
  return failed === 0 ? 'All checks passed.' : `${failed} of ${checks.length} checks failed.`
}
