// The script of the stake page: finds wallets (EIP-6963), asks one for a single transaction, and follows the
// registration until the agent is listed. Everything it shows goes through textContent.

/**
 * What the server tells.
 * @typedef {object} Subject
 * @property {string} registration_id
 * @property {string | null} wallet lower case; null: any may stake
 * @property {string} network_name
 * @property {number} chain_id
 * @property {boolean} local_mode
 * @property {string | null} explorer_url
 * @property {string} registry_address
 * @property {string} stake_wei
 * @property {string} call_data
 * @property {string} stake_question call data of STAKE()
 * @property {Status} status
 */
/**
 * How far the registration is.
 * @typedef {object} Status
 * @property {string} state
 * @property {number} [agent_id]
 * @property {string} [profile_url]
 * @property {boolean} [provisional]
 * @property {string} [transaction]
 * @property {number} [confirmations]
 * @property {number} [confirmations_wanted]
 * @property {string} [reason]
 * @property {boolean} [retried]
 */
/**
 * A wallet as EIP-1193 has it.
 * @typedef {object} Provider
 * @property {(request: { method: string, params?: readonly unknown[] }) => Promise<unknown>} request
 * @property {(event: string, listener: () => void) => void} [on]
 * @property {(event: string, listener: () => void) => void} [removeListener]
 */
/** @typedef {{ name: string, icon: string, provider: Provider }} Wallet */
/** @typedef {{ label: string, icon?: string, main?: boolean, href?: string, run?: () => unknown }} Action */
/** @typedef {{ tone: 'quiet' | 'busy' | 'good' | 'bad', title: string, text: string, actions?: readonly Action[] }} View */

const POLL_MS = 2_000
/** Who has not staked here may have staked elsewhere: on a command line, on a telephone. */
const LOOK_ELSEWHERE_MS = 3_000
const LOOK_FOR_WALLETS_MS = 700
/** A transaction that is in no block by then may have been cancelled. */
const DOUBT_AFTER_MS = 180_000

/** @type {Subject} */
const subject = JSON.parse(element('subject').textContent ?? '')
const key = `farebox-stake-${subject.registration_id}`
/** @type {Map<string, Wallet>} */
const wallets = new Map()
let isFollowing = false
let wake = () => {}

void begin()

function begin() {
  window.addEventListener('storage', event => {
    // Another tab has staked.
    if (event.key === key && event.newValue !== null) void follow(event.newValue)
  })
  const sent = readSent()
  if (subject.status.state !== 'waiting_for_stake' || sent !== undefined) return follow(sent)
  window.addEventListener('eip6963:announceProvider', onAnnounced)
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  setTimeout(() => {
    const injected = /** @type {{ ethereum?: Provider }} */ (/** @type {unknown} */ (window)).ethereum
    if (wallets.size === 0 && injected !== undefined) {
      wallets.set('injected', { name: 'the wallet of this browser', icon: '', provider: injected })
    }
    if (!isFollowing) offerWallets()
  }, LOOK_FOR_WALLETS_MS)
  setInterval(() => void lookElsewhere(), LOOK_ELSEWHERE_MS)
}

/** Nobody is to stake a second time for what is staked by now: the page that still offers it goes on by itself. */
async function lookElsewhere() {
  const offers = () => element('step').dataset.state === 'choose' && !isFollowing
  if (!offers() || document.hidden) return
  const registration = await readRegistration().catch(() => undefined)
  if (registration !== undefined && registration.status.state !== 'waiting_for_stake' && offers())
    void follow(undefined)
}

/** @param {Event} event */
function onAnnounced(event) {
  const { info, provider } = /** @type {CustomEvent} */ (event).detail ?? {}
  if (typeof info?.uuid !== 'string' || typeof provider?.request !== 'function') return
  const name = String(info.name ?? '').slice(0, 60) || 'a wallet without a name'
  const icon = String(info.icon).startsWith('data:image/') ? String(info.icon) : ''
  const isNew = !wallets.has(info.uuid)
  wallets.set(info.uuid, { name, icon, provider })
  if (isNew && element('step').dataset.state === 'choose') offerWallets()
}

function offerWallets() {
  element('step').dataset.state = 'choose'
  if (wallets.size === 0) {
    return show({
      tone: 'quiet',
      title: 'There is no wallet in this browser',
      text:
        'Open this page where your wallet is: in a browser with its extension, or in the browser inside the wallet. ' +
        'On a command line, farebox register can stake with a key.',
      actions: [
        { label: 'Copy the address of this page', run: copyAddress },
        { label: 'Look again', run: () => location.reload() },
      ],
    })
  }
  const which =
    subject.wallet === null ? 'a wallet of yours' : `the wallet that has the account ${short(subject.wallet)}`
  show({
    tone: 'quiet',
    title: 'Stake with a wallet',
    text: `Take ${which}. You see the transaction there, and confirm it or not.`,
    actions: [...wallets.values()].map(wallet => ({
      label: wallet.name,
      icon: wallet.icon,
      main: wallets.size === 1,
      run: () => stakeWith(wallet),
    })),
  })
}

async function copyAddress() {
  try {
    await navigator.clipboard.writeText(location.href)
    element('step-text').textContent = 'Copied. Open it where your wallet is.'
  } catch {
    element('step-text').textContent = `Copy it by hand: ${location.href}`
  }
}

/**
 * One wallet, one transaction. Each step says where it is, and every end has a way on.
 * @param {Wallet} wallet
 */
async function stakeWith(wallet) {
  element('step').dataset.state = 'staking'
  const again = { label: 'Try again', main: true, run: () => stakeWith(wallet) }
  const others = { label: 'Take another wallet', run: offerWallets }
  try {
    const from = await connect(wallet)
    if (from === undefined) return
    await switchChain(wallet)
    await checkRegistry(wallet)
    const { status } = await readRegistration()
    if (status.state !== 'waiting_for_stake') return follow(undefined)
    await onlyHere(() => send(wallet, from))
  } catch (error) {
    if (isFollowing) return
    const { title, text } = explain(error)
    show({ tone: 'bad', title, text, actions: [again, others] })
  }
}

/**
 * The account that stakes; undefined where the wallet has another, which is said.
 * @param {Wallet} wallet
 * @returns {Promise<string | undefined>}
 */
async function connect(wallet) {
  show({
    tone: 'busy',
    title: `Waiting for ${wallet.name}`,
    text: 'It asks whether this page may see your account.',
  })
  const accounts = await wallet.provider.request({ method: 'eth_requestAccounts' })
  const known = (Array.isArray(accounts) ? accounts : []).map(account => String(account).toLowerCase())
  const from = subject.wallet === null ? known[0] : known.find(account => account === subject.wallet)
  if (from !== undefined) return from
  const retry = () => {
    wallet.provider.removeListener?.('accountsChanged', retry)
    if (element('step').dataset.state === 'other-account') void stakeWith(wallet)
  }
  const chooseAgain = async () => {
    wallet.provider.removeListener?.('accountsChanged', retry)
    // Not every wallet lets a page ask for another account; then its person changes it there.
    await wallet.provider
      .request({ method: 'wallet_requestPermissions', params: [{ eth_accounts: {} }] })
      .catch(() => undefined)
    await stakeWith(wallet)
  }
  wallet.provider.on?.('accountsChanged', retry)
  element('step').dataset.state = 'other-account'
  show({
    tone: 'bad',
    title: 'This is another account',
    text:
      `${wallet.name} shows ${known[0] === undefined ? 'no account' : short(known[0])}. The agent is paid at ` +
      `${short(subject.wallet ?? '')}, and that account alone can stake for it. Change to it in your wallet.`,
    actions: [
      { label: 'Choose the account', main: true, run: chooseAgain },
      { label: 'Take another wallet', run: offerWallets },
    ],
  })
  return undefined
}

/** @param {Wallet} wallet */
async function switchChain({ name, provider }) {
  const wanted = `0x${subject.chain_id.toString(16)}`
  if (Number(await provider.request({ method: 'eth_chainId' })) === subject.chain_id) return
  show({ tone: 'busy', title: `Waiting for ${name}`, text: `It asks to change to ${subject.network_name}.` })
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] })
  } catch (error) {
    if (codeOf(error) !== 4902) throw error
    throw new Told(
      'Your wallet does not know the network',
      `Add ${subject.network_name} (chain id ${subject.chain_id}) to it, and try again.`,
    )
  }
  if (Number(await provider.request({ method: 'eth_chainId' })) === subject.chain_id) return
  throw new Told(
    'Your wallet is on another network',
    `Change it to ${subject.network_name} (chain id ${subject.chain_id}), and try again.`,
  )
}

/**
 * Ether sent to an address without a contract is gone, and chains with the same number are not the same chain.
 * @param {Wallet} wallet
 */
async function checkRegistry({ provider }) {
  const call = { to: subject.registry_address, data: subject.stake_question }
  const answer = await provider.request({ method: 'eth_call', params: [call, 'latest'] }).catch(() => '0x')
  if (
    typeof answer === 'string' &&
    /^0x[0-9a-f]{64}$/i.test(answer) &&
    BigInt(answer) === BigInt(subject.stake_wei)
  )
    return
  const local = subject.local_mode
    ? ` This platform uses a local chain: in your wallet, ${subject.network_name} has to lead to it.`
    : ' Look at the address its network has in the settings of your wallet.'
  throw new Told(
    'The registry is not there',
    `What your wallet calls ${subject.network_name} has no registry contract.${local} Nothing was sent.`,
  )
}

/**
 * Two tabs must not both send: the lock is kept until the stake is listed, because what one tab stores another may read
 * a moment later.
 * @param {() => Promise<void>} work
 */
async function onlyHere(work) {
  const workOnce = async () => {
    const sent = readSent()
    await (sent === undefined ? work() : follow(sent))
  }
  if (navigator.locks === undefined) return await workOnce()
  await navigator.locks.request(key, { ifAvailable: true }, async lock => {
    if (lock === null) throw new Told('Another tab is staking', 'Confirm or refuse the transaction there.')
    await workOnce()
  })
}

/**
 * @param {Wallet} wallet
 * @param {string} from
 */
async function send({ name, provider }, from) {
  show({
    tone: 'busy',
    title: `Confirm it in ${name}`,
    text: 'One transaction: the stake, and the endpoint of the agent.',
  })
  const transaction = {
    from,
    to: subject.registry_address,
    value: `0x${BigInt(subject.stake_wei).toString(16)}`,
    data: subject.call_data,
  }
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash)) {
    throw new Told(
      'The wallet gave no answer',
      'Look into its activity whether the stake was sent, before you try again.',
    )
  }
  writeSent(hash)
  await follow(hash, provider)
}

/**
 * Shows how far the registration is until it is done.
 * @param {string | undefined} hash the transaction, where this browser sent it
 * @param {Provider} [provider] whom to ask about it
 */
async function follow(hash, provider) {
  if (isFollowing) return
  isFollowing = true
  element('step').dataset.state = 'following'
  const startedMs = Date.now()
  showStatus(subject.status, hash, false)
  for (;;) {
    const registration = await readRegistration().catch(() => undefined)
    const status = registration?.status
    if (status !== undefined) {
      if (await isRefused(hash, provider, status))
        return giveBack('The contract refused the stake', 'Only gas was spent. Try again.')
      showStatus(status, hash, Date.now() - startedMs > DOUBT_AFTER_MS)
      if (status.state === 'listed' || (status.state === 'refused' && status.retried !== true))
        return forget()
    } else {
      show({
        tone: 'busy',
        title: 'The platform does not answer',
        text: 'Asking again. Your stake is not lost.',
      })
    }
    await new Promise(resolve => {
      wake = () => resolve(undefined)
      setTimeout(wake, POLL_MS)
    })
    if (!isFollowing) return
  }
}

/**
 * @param {string | undefined} hash
 * @param {Provider | undefined} provider
 * @param {Status} status
 */
async function isRefused(hash, provider, status) {
  if (hash === undefined || provider === undefined || status.state !== 'waiting_for_stake') return false
  const receipt = await provider
    .request({ method: 'eth_getTransactionReceipt', params: [hash] })
    .catch(() => null)
  return receipt !== null && Number(/** @type {{ status?: unknown }} */ (receipt).status) === 0
}

/**
 * @param {Status} status
 * @param {string | undefined} hash
 * @param {boolean} isDoubtful
 */
function showStatus(status, hash, isDoubtful) {
  const seen = status.transaction ?? hash
  const look =
    subject.explorer_url === null || seen === undefined
      ? []
      : [{ label: 'Look at the transaction', href: `${subject.explorer_url}/tx/${seen}` }]
  switch (status.state) {
    case 'listed':
      return show({
        tone: 'good',
        title: `Listed as agent ${status.agent_id}`,
        text:
          status.provisional === true
            ? 'As unpaid and provisional: it serves no /about.'
            : 'People and programs find it now.',
        actions: [{ label: 'See the agent', main: true, href: status.profile_url ?? '/' }],
      })
    case 'refused':
      return show({
        tone: status.retried === true ? 'busy' : 'bad',
        title: `Agent ${status.agent_id} is not listed`,
        text: `${status.reason ?? ''}${status.retried === true ? '. It is looked at again soon.' : ''}`,
        actions: look,
      })
    case 'confirming':
      return show({
        tone: 'busy',
        title: `Staked as agent ${status.agent_id}`,
        text: confirming(status),
        actions: look,
      })
    default:
      return show({
        tone: 'busy',
        title: 'Sent',
        text: isDoubtful
          ? 'It is in no block yet. If you cancelled it in your wallet, begin again; if not, wait.'
          : 'Waiting until it is in a block. You can close this page.',
        actions: isDoubtful
          ? [...look, { label: 'I cancelled it: begin again', run: () => giveBack() }]
          : look,
      })
  }
}

/** @param {Status} status */
function confirming({ confirmations = 0, confirmations_wanted: wanted = 0 }) {
  return confirmations < wanted
    ? `${confirmations} of ${wanted} blocks on top of it. You can close this page.`
    : 'The platform looks at the agent. You can close this page.'
}

/**
 * Back to the choice of wallets.
 * @param {string} [title]
 * @param {string} [text]
 */
function giveBack(title, text) {
  forget()
  isFollowing = false
  wake()
  if (wallets.size === 0) return location.reload()
  if (title === undefined || text === undefined) return offerWallets()
  show({ tone: 'bad', title, text, actions: [{ label: 'Back', main: true, run: offerWallets }] })
}

/** @returns {Promise<{ status: Status }>} */
async function readRegistration() {
  const answer = await fetch(`/v1/registrations/${subject.registration_id}`, { cache: 'no-store' })
  if (!answer.ok) throw new Told('The platform does not answer', 'Nothing was sent. Try again in a moment.')
  return await answer.json()
}

/** Something that is said as it is. */
class Told extends Error {
  /**
   * @param {string} title
   * @param {string} text
   */
  constructor(title, text) {
    super(text)
    this.title = title
  }
}

/**
 * Numbers of EIP-1193 and EIP-1474.
 * @param {unknown} error
 */
function explain(error) {
  if (error instanceof Told) return { title: error.title, text: error.message }
  switch (codeOf(error)) {
    case 4001:
      return { title: 'You refused', text: 'Nothing was sent.' }
    case -32002:
      return { title: 'Your wallet is asking already', text: 'Open it, and answer there.' }
    case 4100:
      return { title: 'Your wallet does not let this page in', text: 'Allow it there, and try again.' }
    default: {
      const message = error instanceof Object && 'message' in error ? String(error.message).slice(0, 200) : ''
      const isPoor = /insufficient funds/i.test(message)
      return {
        title: isPoor ? 'There is too little in the account' : 'It did not work',
        text: isPoor
          ? `The stake and its gas are paid in the coin of ${subject.network_name}. Nothing was sent.`
          : `Your wallet says: ${message || 'nothing'}`,
      }
    }
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Object && 'code' in error ? Number(error.code) : undefined
}

/** @param {View} view */
function show({ tone, title, text, actions = [] }) {
  const holdsFocus = element('actions').contains(document.activeElement)
  element('step').dataset.tone = tone
  setText('step-title', title)
  setText('step-text', text)
  const signature = JSON.stringify(actions.map(({ label, href }) => [label, href]))
  const area = element('actions')
  // A button that is the same stays, and with it the focus.
  if (area.dataset.signature === signature && actions.every(({ href }) => href !== undefined)) return
  area.dataset.signature = signature
  area.replaceChildren(...actions.map(makeAction))
  if (holdsFocus) element('step-title').focus()
}

/**
 * @param {Action} action
 * @returns {HTMLElement}
 */
function makeAction({ label, icon = '', main = false, href, run }) {
  const made = document.createElement(href === undefined ? 'button' : 'a')
  made.className = main ? 'action main' : 'action'
  if (made instanceof HTMLAnchorElement) {
    // A link of the platform's or of an explorer's; a script behind it would be no address.
    if (/^(?:https?:\/\/|\/)/.test(href ?? '')) made.href = href ?? ''
  } else if (run !== undefined) made.addEventListener('click', () => run())
  if (icon !== '') {
    const image = document.createElement('img')
    image.src = icon
    image.alt = ''
    made.append(image)
  }
  made.append(label)
  return made
}

/**
 * Screen readers say a line again when it is set again.
 * @param {string} id
 * @param {string} text
 */
function setText(id, text) {
  if (element(id).textContent !== text) element(id).textContent = text
}

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function element(id) {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no ${id}`)
  return found
}

/**
 * No line breaks within it.
 * @param {string} address
 */
function short(address) {
  return `${address.slice(0, 6)}\u2060…\u2060${address.slice(-4)}`
}

/** Browsers may keep nothing for a page; then a reload forgets what was sent, and the platform still sees it. */
function readSent() {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** @param {string} hash */
function writeSent(hash) {
  try {
    localStorage.setItem(key, hash)
  } catch {
    // See readSent.
  }
}

function forget() {
  try {
    localStorage.removeItem(key)
  } catch {
    // See readSent.
  }
}
