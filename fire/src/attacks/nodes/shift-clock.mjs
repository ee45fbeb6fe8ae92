// Loaded into a program by `--import`: its clock is so many seconds ahead of the machine's, or behind it.

const aheadMs = Number(process.env.FIRE_CLOCK_AHEAD_SECONDS) * 1_000
const { now } = Date

Date.now = () => now() + aheadMs
