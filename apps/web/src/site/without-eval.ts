import { z } from 'zod'

// Imported before anything that makes a schema: making one would try whether functions can be made of text, which the
// policy of the pages refuses and reports.
z.config({ jitless: true })
