import type { Registration } from '@farebox/platform-api/registry'
import { useCallback, useState, type ReactNode } from 'react'
import { cutToLine } from '../../format/cut-to-line.ts'
import { NewAgentSteps } from '../../owner/new-agent-steps.tsx'
import { answers } from '../../site/answers.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { PageModule } from '../../site/page.ts'
import { isRegistrationOver } from '../../stake/follow-registration.ts'
import { useStake } from '../../stake/use-stake.ts'
import { EndpointChecks } from './endpoint-checks.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { ListingPreview } from './listing-preview.tsx'
import { StakeBar, StakeTicket } from './stake-ticket.tsx'
import { RegistrationSteps } from './registration-steps.tsx'
import { useChecks } from './use-checks.ts'
import { Note } from '../../parts/note.tsx'
import { Address } from '../../parts/short.tsx'
import { usePurse } from '../../purse/purse-context.ts'

interface Data {
  /** Null when no registration is open yet. */
  readonly registration: Registration | null
  /** The endpoint that the address names. It is checked when the owner presses the button. */
  readonly endpoint: string | null
}

const MOST_CHARACTERS = 2_048

/** Registers an agent: its endpoint is checked, its wallet stakes, and it is listed with a number. */
export const page: PageModule<Data> = {
  async load({ params, query, ask }) {
    const { registrationId: id } = params
    if (id === undefined)
      return { registration: null, endpoint: query.get('endpoint')?.slice(0, MOST_CHARACTERS) ?? null }
    const registration = await ask(`/v1/registrations/${encodeURIComponent(id)}`, answers.registration)
    return { registration, endpoint: null }
  },
  head: ({ registration }) =>
    registration === null
      ? {
          title: 'Register an agent',
          description:
            'The platform checks your agent for free. You stake some ETH from the agent’s wallet, and the agent is listed with its price.',
        }
      : { title: `Register ${nameOf(registration)}`, hidden: true },
  Page: RegisterPage,
}

function nameOf({ found }: Registration): string {
  return cutToLine(found.name, 64) || 'an unnamed agent'
}

function RegisterPage({ data }: { readonly data: Data }): ReactNode {
  const { replace } = useNavigation()
  const [registration, setRegistration] = useState(data.registration ?? undefined)
  const open = useCallback(
    (opened: Registration): void => {
      setRegistration(opened)
      replace(`/register/${opened.registration_id}`)
    },
    [replace],
  )
  const checks = useChecks(data.registration ?? undefined, open)
  const stake = useStake(registration)
  const isOpen = checks.step === 'passed'
  const view = isOpen ? stake?.view : undefined
  const already = view?.at === 'already' ? view : checks.listed
  const shown = already === undefined && isOpen ? stake : undefined
  const isOver = shown !== undefined && isRegistrationOver(shown.registration)
  return (
    <main id="main" className="page near register">
      <p className="crumb">
        <a href="/owner">Your agents</a> / Register
      </p>
      <h1>Register an agent</h1>
      <RegistrationSteps step={checks.step} view={shown?.view} />
      <div className={shown === undefined || shown.view.at === 'offer' ? 'beside' : 'beside staking'}>
        <EndpointForm
          endpoint={registration?.endpoint}
          first={data.endpoint ?? ''}
          isAsking={checks.step === 'asking'}
          isHeld={shown !== undefined && shown.view.at !== 'offer'}
          isOver={isOver}
          refusal={checks.step === 'refused' ? checks.refusal : undefined}
          check={checks.check}
        />
        <aside>
          <StakeTicket stake={shown} />
          <StakeQuestions isPhaseOne={shown?.registration.found.phase === 'phase-1'} />
        </aside>
        <div className="looked">
          {already === undefined ? (
            <EndpointChecks state={checks} />
          ) : (
            <AlreadyListed agentId={already.agent_id} owner={already.owner} />
          )}
          {shown !== undefined && (
            <ListingPreview registration={shown.registration} isListed={shown.view.at === 'listed'} />
          )}
          {checks.step === 'idle' && (
            <section>
              <NewAgentSteps />
            </section>
          )}
        </div>
      </div>
      <StakeBar stake={shown} />
    </main>
  )
}

/** An agent that was listed with the endpoint before: its owner, and a link to its page. */
function AlreadyListed(props: { readonly agentId: number; readonly owner: string }): ReactNode {
  const { agentId, owner } = props
  const { wallet } = usePurse()
  const isOwn = wallet?.address === owner
  return (
    <Note tone="info" alert>
      <p>
        <b>Already listed as agent {agentId}</b>, by {isOwn ? 'you' : <Address of={owner} />}. Each endpoint
        can have only one agent, so you cannot stake for this one. You can check another endpoint above.
      </p>
      <p className="acts">
        <a href={`/agents/${agentId}`}>View the agent</a>
        {isOwn && <a href={`/owner/agents/${agentId}`}>Manage it</a>}
      </p>
    </Note>
  )
}

/** Answers to an owner's questions before staking. */
function StakeQuestions({ isPhaseOne }: { readonly isPhaseOne: boolean }): ReactNode {
  return (
    <div className="explained">
      <details open={isPhaseOne}>
        <summary>Agents without /about</summary>
        <p>
          An agent that returns 404 for /about is listed as unpaid and provisional. It has no prices and
          cannot be called here. Any wallet can stake for it. If someone later registers the endpoint and
          proves that they own it, the new registration will replace this one.
        </p>
      </details>
      <details>
        <summary>The stake</summary>
        <p>
          The registry contract holds the stake while the agent is registered. It gives the staking wallet a
          token with the agent number. Nobody else can take the stake. To get it back, run{' '}
          <span className="mono">farebox deregister</span>.
        </p>
        <p>
          The stake shows who backs the agent. The staking wallet must be the wallet that receives the agent’s
          payments, so nobody can register someone else’s agent.
        </p>
      </details>
      <details>
        <summary>Command line</summary>
        <p>
          <span className="mono">farebox register --endpoint … --wallet</span> runs the same checks, stakes
          with your key, and prints the agent number.
        </p>
      </details>
    </div>
  )
}
