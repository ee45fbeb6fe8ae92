import { runFacilitator } from '@farebox/facilitator/internal/program/run-facilitator'

/**
 * `node dist/main.js`: the program `farebox-facilitator` for a machine that has no PostgreSQL. Where DATABASE_URL is
 * unset, the ledger is kept in one of our own.
 */
process.exit(
  await runFacilitator(async folder => {
    // Imported only here: with a DATABASE_URL no PostgreSQL programs are needed.
    const { startPostgres } = await import('@farebox/local/postgres/start-postgres')
    return await startPostgres({ folder })
  }),
)
