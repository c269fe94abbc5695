import { type BodyLimits, createByteBudget } from '../../http/body.ts'
import { bind, documented } from '../../http/handlers.ts'
import type { DeclarationExport } from '../export.ts'
import { readSentDeclaration } from '../read.ts'
import type { Applying } from '../service.ts'
import { declarationContract } from './contract.ts'
import { declarationDocumentation } from './documentation.ts'

/** Largest body in bytes. It is more than the longest declaration, because JSON escapes quotes and line feeds. */
const maxBytes = 2_097_152

export const declarationRoutes = (applying: Applying, declarations: DeclarationExport) => {
  const bodyLimits: BodyLimits = { maxBytes, budget: createByteBudget(8 * maxBytes) }
  return bind(documented(declarationContract, declarationDocumentation), {
    applyDeclaration: async (principal, { body: { declaration: text, dryRun, ...options } }) => {
      const declaration = readSentDeclaration(text)
      const { source } = declaration
      if (!dryRun) return { source, isApplied: true, ...(await applying.applyShown(principal, declaration, options)) }
      return { source, isApplied: false, ...(await applying.plan(principal, declaration, options)), logoProblems: [] }
    },
    exportDeclaration: async (principal, { query }) => ({ declaration: await declarations.export(principal, query) }),
  }).map((route) => ({ ...route, bodyLimits }))
}
