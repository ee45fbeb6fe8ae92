import type { Played } from '../facilitator/run/play-matrix.ts'
import { playWhileAnswered } from '../facilitator/run/play-while-answered.ts'
import { ruleCases } from '../facilitator/run/rule-cases.ts'
import { RULES, type RuleCase } from '../facilitator/trial/rule-case.ts'
import type { Need } from '../facilitator/trial/subject.ts'
import type { Trial } from '../facilitator/trial/trial.ts'
import { printableJson } from '../printable.ts'
import { describeFacilitatorRun } from '../report/facilitator-document.ts'
import type { ReportStyle } from '../report/format-report.ts'
import { conclusion, countReasons, idColumnsOf, ruleLine } from '../report/rule-line.ts'
import { CONFORMANCE_EXIT, type ConformanceWorld, type ConformanceExit } from './command-world.ts'
import { openFacilitator, type OpenFacilitator } from './open-facilitator.ts'
import { readStyle } from './read-style.ts'
import type { FacilitatorWords } from './read-words.ts'

/** Why a case is skipped that needs something the facilitator does not offer or the kit was not given. */
const SKIPPED: { readonly [need in Need]: string } = {
  secrets: 'need the administration of its secrets: --admin-token-file <file>',
  holds: 'need the hold extension, which it does not offer',
  door: 'need an HTTP door of its own',
  node: 'need a place between it and its node: a test that starts it gives beforeSend to openTrial',
}

/**
 * Runs `farebox-conformance facilitator`. Throws `CannotRun` when no facilitator, or no chain to judge it by, can be
 * reached.
 */
export async function checkFacilitator(
  world: ConformanceWorld,
  words: FacilitatorWords,
): Promise<ConformanceExit> {
  const { url, json, verbose, only } = words
  const style = readStyle(world, verbose)
  const cases = ruleCases.filter(({ id }) => id.startsWith(only))
  const opened = await openFacilitator(world, words)
  const { trial, close } = opened
  try {
    if (!json) world.out(heading(opened, url, style))
    const show = createShow(world, trial, style)
    const { played, stopped } = await playWhileAnswered(
      trial,
      cases,
      one => void (json || show(one)),
      world.signal,
    )
    const broken = played.filter(isBroken)
    const kept = played.filter(one => one.outcome !== undefined && !isBroken(one))
    const skipped = countReasons(
      played.flatMap(({ ruleCase, outcome }) => (outcome === undefined ? [whySkipped(trial, ruleCase)] : [])),
    )
    if (json) {
      const done = { url, trial, played, skipped, stopped, why: whySkipped }
      world.out(`${printableJson(describeFacilitatorRun(done))}\n`)
    } else {
      world.out(`\n${conclusion({ kept: kept.length, broken: broken.length }, skipped, style)}`)
      if (stopped !== undefined) world.out(`\n  ${style.red(stopReason(stopped, played.at(-1)))}\n`)
    }
    if (stopped === 'interrupted') return CONFORMANCE_EXIT.interrupted
    if (broken.length > 0) return CONFORMANCE_EXIT.breaks
    return kept.length > 0 && stopped === undefined ? CONFORMANCE_EXIT.conforms : CONFORMANCE_EXIT.notRun
  } finally {
    await close()
  }
}

function isBroken({ outcome }: Played): boolean {
  return outcome?.wrong !== undefined
}

function stopReason(stopped: 'interrupted' | 'gone', last: Played | undefined): string {
  if (stopped === 'interrupted') return 'interrupted'
  return `the facilitator answers no more${last === undefined ? '' : ` since ${last.ruleCase.id}`}: its log may tell why`
}

/** The heading never uses the name of a public network: the kit runs on local chains only, which may have the id of one. */
function heading({ trial, network }: OpenFacilitator, url: string, style: ReportStyle): string {
  const { accounts, offers } = trial.subject
  const from = accounts.length === 0 ? 'it names no accounts of its own' : `from ${accounts.join(', ')}`
  const holds = offers.has('holds') ? '; holds payments' : ''
  return `${style.bold('Facilitator')}  ${style.dim(url)}\nsettles on local chain (${network.id}), ${from}${holds}\n`
}

/** Prints a line for each case, below a line for its rule. */
function createShow(world: ConformanceWorld, trial: Trial, style: ReportStyle): (played: Played) => void {
  let shown = ''
  const idColumns = idColumnsOf(ruleCases.map(({ id }) => id))
  return ({ ruleCase, outcome }) => {
    if (outcome === undefined && !style.verbose) return
    const { rule, id, sent } = ruleCase
    if (rule !== shown) world.out(`\n${style.bold(rule)}  ${RULES[rule]}\n`)
    shown = rule
    const line =
      outcome === undefined
        ? ({ mark: 'skipped', id, why: `${sent}: ${whySkipped(trial, ruleCase)}` } as const)
        : ({
            mark: outcome.wrong === undefined ? 'kept' : 'broken',
            id,
            why: `${sent}: ${outcome.wrong ?? outcome.did}`,
          } as const)
    world.out(ruleLine(line, idColumns, style))
  }
}

function whySkipped({ subject }: Trial, { needs }: RuleCase): string {
  const missing = needs.find(need => !subject.offers.has(need))
  return missing === undefined ? 'does not apply' : SKIPPED[missing]
}
