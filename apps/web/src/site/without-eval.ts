import { z } from 'zod'

// Imported before any module that makes a schema: zod would otherwise test whether it can compile functions from text, which
// the content security policy of the pages refuses and reports.
z.config({ jitless: true })
