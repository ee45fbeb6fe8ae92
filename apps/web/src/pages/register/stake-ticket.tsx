import type { Registration } from '@farebox/platform-api/registry'
import type { ReactNode } from 'react'
import { formatEther } from '../../format/amount.ts'
import { Address, Transaction } from '../../parts/short.tsx'
import { Hole, Lines, Sum, Ticket, TicketTitle } from '../../parts/ticket.tsx'
import { When } from '../../parts/when.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import { Bars } from '../../signs/bars.tsx'
import { useSite } from '../../site/site.ts'
import type { StakeView } from '../../stake/stake-view.ts'
import type { Stake } from '../../stake/use-stake.ts'
import { StakeProgress } from './stake-progress.tsx'
import { nameWalletChain } from '../../wallet/wallet-chain.ts'

const BEFORE = 'plus the gas fee shown in your wallet. You get the stake back when you deregister.'

/** The stake: its amount, its purpose, its sender, its recipient and its button; afterwards its progress. */
export function StakeTicket({ stake }: { readonly stake: Stake | undefined }): ReactNode {
  const { platform } = useSite()
  const view = stake?.view
  const isKept = view?.at === 'block' || view?.at === 'listed' || view?.at === 'refused'
  return (
    <Ticket
      label="Stake"
      top={
        <>
          <TicketTitle end={describe(view)} hole={<Hole punched={isKept} />}>
            <b>Stake</b>
          </TicketTitle>
          <Sum amount={formatEther(platform.stake_wei)} unit="ETH" />
          <p className="quiet">{isKept ? 'Held by the registry until you deregister.' : BEFORE}</p>
        </>
      }
    >
      <StakeLines stake={stake} />
      {stake === undefined ? (
        <p className="aside">
          The platform will check the endpoint first. Nothing is staked until you confirm.
        </p>
      ) : (
        <StakeProgress stake={stake} />
      )}
      {view?.at === 'offer' && (
        <div className="pay">
          <StakeButton stake={stake} />
          <p className="aside">
            Your wallet will ask you to confirm this one transaction. You can reload this page. The stake will
            not be sent twice.
          </p>
        </div>
      )}
      {(view?.at === 'block' || view?.at === 'listed') && <Bars hash={view.transaction} />}
    </Ticket>
  )
}

/** The transaction line by line: its endpoint, its sender, the registry, the network. */
function StakeLines({ stake }: { readonly stake: Stake | undefined }): ReactNode {
  const { platform } = useSite()
  const view = stake?.view
  const transaction = transactionOf(view)
  const network = platform.local_mode ? 'Local chain' : nameWalletChain(platform)
  return (
    <Lines
      of={[
        stake && ['For', <span className="mono">{stake.registration.endpoint}</span>],
        ['From', <StakingWallet found={stake?.registration.found} />],
        [
          'To',
          <>
            <Address of={platform.registry_address} />
            <br />
            AgentRegistry, the contract that holds the stake
          </>,
        ],
        ['Network', `${network}, chain ID ${platform.chain_id}`],
        transaction === undefined ? undefined : ['Transaction', <Transaction of={transaction} />],
        view?.at === 'sent' ? ['Sent', <When at={view.kept.askedAt} form="clock" />] : undefined,
      ]}
    />
  )
}

/** The wallet that may stake for the agent found at the endpoint. */
function StakingWallet({ found }: { readonly found: Registration['found'] | undefined }): ReactNode {
  if (found?.phase === 'phase-1') return 'any of your wallets, because the agent does not specify one'
  return (
    <>
      {found !== undefined && (
        <>
          <Address of={found.wallet} />
          <br />
        </>
      )}
      the agent’s own wallet; no other wallet can stake for it
    </>
  )
}

/** On a phone, the stake button at the bottom of the window, in the place of the tabs. */
export function StakeBar({ stake }: { readonly stake: Stake | undefined }): ReactNode {
  const { platform } = useSite()
  if (stake?.view.at !== 'offer') return null
  return (
    <div className="pay-bar">
      <p className="hint">
        {formatEther(platform.stake_wei)} ETH plus gas; you get the stake back when you deregister
      </p>
      <StakeButton stake={stake} />
    </div>
  )
}

/** The button that sends the stake. It is the only one on the page after which money can move. */
function StakeButton({ stake }: { readonly stake: Stake | undefined }): ReactNode {
  const { platform } = useSite()
  const { isReady } = usePurse()
  return (
    <button type="button" className="button fare wide" disabled={!isReady} onClick={() => stake?.stake()}>
      Stake {formatEther(platform.stake_wei)} ETH
    </button>
  )
}

function transactionOf(view: StakeView | undefined): string | undefined {
  if (view?.at === 'sent') return view.kept.hash
  return view?.at === 'block' || view?.at === 'listed' ? view.transaction : undefined
}

function describe(view: StakeView | undefined): ReactNode {
  switch (view?.at) {
    case undefined:
    case 'already':
    case 'offer':
    case 'asking':
    case 'elsewhere':
      return 'not sent yet'
    case 'doubt':
      return 'may have been sent'
    case 'sent':
      return 'sent'
    case 'block':
    case 'refused':
      return 'on-chain'
    case 'listed':
      return 'listed'
  }
}
