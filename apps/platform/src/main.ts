import { runPlatform } from '@farebox/platform/internal/program/run-platform'

/**
 * `node dist/main.js`: the program `farebox-platform` for a machine that has no PostgreSQL. Where DATABASE_URL is unset,
 * everything is kept in one of our own.
 */
process.exit(
  await runPlatform(async folder => {
    // Imported only here: with a DATABASE_URL no PostgreSQL programs are needed.
    const { startPostgres } = await import('@farebox/local/postgres/start-postgres')
    return await startPostgres({ folder })
  }),
)
