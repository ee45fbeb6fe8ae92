/** Methods that are tried. */
export const METHODS: readonly string[] =
  'GET HEAD POST PUT DELETE PATCH OPTIONS FOO get Post PROPFIND __proto__'.split(' ')

const ODD_PATHS =
  '/ /Health /execute/ //execute /execute%2f /%65xecute /./health /x/../about /__proto__ /constructor /toString /health;a=b /health%00 /.env /about\\ /é /%ff /health%20'

/** Paths that are tried, most of them unknown to an agent. */
export const PATHS: readonly string[] = [
  ...'/health /about /execute /health?x=1 /execute?job_id=1 /about#part'.split(' '),
  ...ODD_PATHS.split(' '),
  `/${'a'.repeat(4_000)}`,
]
