import type { RegistrationStatus } from '@farebox/platform-api/registry'
import { agentRegistryAbi } from '@farebox/contracts/agent-registry'
import { checksumAddress } from '@farebox/payments/crypto/address'
import { encodeFunctionData } from 'viem'
import type { PlatformParts } from '../platform-parts.ts'
import { encodeRegister, STAKE_WEI } from '../registry/chain/registry-contract.ts'
import type { Registration } from '../registry/registrations.ts'
import { html, jsonForScript, untrustedLine, trustedHtml, type Html } from './html.ts'
import type { PageFiles } from './page-files.ts'

type PageParts = Pick<PlatformParts, 'settings' | 'network' | 'crypto'>

/** What the page is about. */
export interface StakeSubject {
  readonly registration: Registration
  readonly status: RegistrationStatus
}

const STAKE_TEXT = '0.001 ETH'
const MAX_NAME = 64
const MAX_DESCRIPTION = 280

/** The stake page. What the agent says of itself is escaped, cut, and shown as its own words. */
export function renderStakePage(
  parts: PageParts,
  { registration, status }: StakeSubject,
  files: PageFiles,
  nonce: string,
): Html {
  const { found, endpoint } = registration
  const name = untrustedLine(found.name, MAX_NAME) || 'An agent without a name'
  const description = found.phase === 'agent' ? untrustedLine(found.description, MAX_DESCRIPTION) : ''
  const subject = tellScript(parts, { registration, status })
  return document(
    { title: `Stake for ${name}`, nonce, files },
    html` <h1>Register <bdi>${name}</bdi></h1>
      ${description === '' ? [] : html`<p class="quote"><bdi>${description}</bdi></p>`}
      <dl>
        <div>
          <dt>Endpoint</dt>
          <dd class="code">${endpoint}</dd>
        </div>
        <div>
          <dt>Wallet</dt>
          <dd>${describeWallet(parts, registration)}</dd>
        </div>
        <div>
          <dt>Stake</dt>
          <dd><strong>${STAKE_TEXT}</strong> and gas. Returned when you deregister.</dd>
        </div>
        <div>
          <dt>Network</dt>
          <dd>${describeNetwork(parts)}</dd>
        </div>
        <div>
          <dt>Held by</dt>
          <dd class="code">${checksumAddress(parts.crypto, parts.settings.registryAddress)}</dd>
        </div>
      </dl>
      <section aria-labelledby="step-title" id="step" data-tone="quiet">
        <h2 id="step-title" tabindex="-1">Stake with a wallet</h2>
        <p id="step-text" role="status">Looking for wallets in this browser.</p>
        <div id="actions"></div>
        <noscript
          ><p>
            This page speaks to your wallet by JavaScript, which is off. Without it:
            <code>farebox register --endpoint … --wallet</code>
          </p></noscript
        >
      </section>
      <details>
        <summary>What a stake is</summary>
        <p>
          The registry contract keeps ${STAKE_TEXT} as long as the agent is registered, and gives its wallet a
          token: the number of the agent. Nobody else can take the stake.
          <code>farebox deregister</code> returns it.
        </p>
        <p>
          It shows that somebody stands behind the agent, and who: the wallet that stakes has to be the one
          the agent is paid at, so that nobody registers an agent of somebody else.
        </p>
        <p>
          Your wallet asks you to confirm one transaction: ${STAKE_TEXT} to the contract above, to register
          the endpoint above. Nothing else is signed here.
        </p>
      </details>
      <script type="application/json" id="subject">
        ${jsonForScript(subject)}
      </script>
      <script type="module" nonce="${nonce}">
        ${trustedHtml(files.script)}
      </script>`,
  )
}

/** The page for what is not there, or not any more. */
export function renderMissing(files: PageFiles, nonce: string): Html {
  return document(
    { title: 'No such registration', nonce, files },
    html` <h1>There is no such registration</h1>
      <p>
        Registrations that nobody stakes for are forgotten after a month. Say it again, and you get a page
        that is good:
      </p>
      <p><code>farebox register --endpoint https://agent.example</code></p>`,
  )
}

function document(
  { title, nonce, files }: { readonly title: string; readonly nonce: string; readonly files: PageFiles },
  main: Html,
): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Farebox</title>
        <style nonce="${nonce}">
          ${trustedHtml(files.style)}
        </style>
      </head>
      <body>
        <header>Farebox</header>
        <main>${main}</main>
      </body>
    </html> `
}

function describeWallet({ crypto }: PageParts, { found }: Registration): Html {
  if (found.phase === 'agent') {
    return html`<span class="code">${checksumAddress(crypto, found.wallet)}</span><br />
      Where the agent is paid. It alone can stake.`
  }
  return html`Any. The agent serves no /about: it will be listed as
    <strong>unpaid and provisional</strong> (Phase 1), and gives way to whoever proves to own the endpoint.`
}

function describeNetwork({ network, settings }: PageParts): Html {
  const name = settings.localMode ? `The local chain, in the place of ${network.name}` : network.name
  return html`${name} <span class="aside">chain id ${network.chainId}</span>`
}

/** What the script works with; what of it comes from outside is the endpoint inside the call data. */
function tellScript({ settings, network }: PageParts, { registration, status }: StakeSubject): object {
  const { registrationId, found, endpoint } = registration
  return {
    registration_id: registrationId,
    wallet: found.phase === 'agent' ? found.wallet : null,
    network_name: network.name,
    chain_id: network.chainId,
    local_mode: settings.localMode,
    // An explorer knows the public chain of that number.
    explorer_url: settings.localMode ? null : (network.explorer ?? null),
    registry_address: settings.registryAddress,
    stake_wei: STAKE_WEI.toString(),
    call_data: encodeRegister(endpoint),
    stake_question: encodeFunctionData({ abi: agentRegistryAbi, functionName: 'STAKE' }),
    status,
  }
}
