import { z } from 'zod'
import { parseFlags, UsageError } from '../core/terminal.ts'
import type { Commands } from '../feature.ts'
import { type Declaration, declarationSections } from './contract.ts'
import type { DeclarationExport } from './export.ts'
import { describeChanges, isNothing } from './rules.ts'
import type { Applying } from './service.ts'

interface Needs {
  readonly applying: Pick<Applying, 'plan' | 'applyShown'>
  readonly declarations: DeclarationExport
}

const Flags = z.object({
  file: z.array(z.string().min(1)),
  prune: z.boolean(),
  yes: z.boolean(),
  dryRun: z.boolean(),
  force: z.boolean(),
})

const Export = z.object({
  section: z.array(z.enum(declarationSections)).default([...declarationSections]),
  source: z.string().min(1).max(1000),
})

const repeated = (file: string, before: readonly string[] = []) => [...before, file]

export const createApplyCommands =
  (read: (files: readonly string[], options: { readonly input?: string }) => Declaration): Commands<Needs> =>
  (program, cli) => {
    program
      .command('apply')
      .inGroup('Instance')
      .description(
        'Make settings, applications, organizations and webhook endpoints as files declare them. Shows the difference, asks, and changes all or nothing.',
      )
      .requiredOption(
        '-f, --file <path>',
        'the declaration, in YAML: docs/how-to/apply.md; - is standard input. Repeated: all files are one declaration',
        repeated,
      )
      .option('--prune', 'delete objects that this declaration once made and no longer names', false)
      .option('--yes', 'do not ask', false)
      .option('--force', 'keep a mail server or provider although it could not be reached', false)
      .dryRunnable()
      .examples(
        'apply -f apply.yaml --dry-run',
        'apply -f clients.yaml -f organizations.yaml',
        'apply -f - --yes',
        'apply -f apply.yaml --prune --yes --json',
      )
      .action(async (flags: unknown) => {
        const { file, prune, yes, dryRun, force } = parseFlags(Flags, flags)
        if (new Set(file).size < file.length) throw new UsageError('--file: names a file twice')
        const declaration = read(file, file.includes('-') ? { input: await cli.readInput('--file -') } : {})
        await cli.run(async ({ applying }, principal) => {
          const { changes, digest: expected } = await applying.plan(principal, declaration, { prune })
          const difference = describeChanges(changes)
          const result = (isApplied: boolean) => ({ source: declaration.source, isApplied, changes })
          if (dryRun) return { json: result(false), text: difference }
          if (!isNothing(changes)) await cli.confirm(yes, difference)
          const { logoProblems } = await applying.applyShown(principal, declaration, { prune, force, expected })
          const text = [
            ...[difference, isNothing(changes) ? 'Nothing to change.' : 'Applied.'],
            ...logoProblems.map(({ key, problem }) => `The logo of ${key} was not fetched: ${problem}.`),
          ]
          return { json: { ...result(true), logoProblems }, text: text.join('\n') }
        })
      })
    program
      .command('export-declaration')
      .inGroup('Instance')
      .description(
        'Print the declaration that apply reads, of the instance as it is: stored settings, applications, APIs, organizations and webhook endpoints. No secret is in it.',
      )
      .option('--section <name>', `only this section; may be repeated: ${declarationSections.join(', ')}`, repeated)
      .option('--source <name>', 'the name that the declaration gives itself', 'exported')
      .examples('export-declaration > instance.yaml', 'export-declaration --section clients --section apis')
      .action(async (flags: unknown) => {
        const { section: sections, source } = parseFlags(Export, flags)
        await cli.run(async ({ declarations }, principal) => {
          const declaration = await declarations.export(principal, { sections, source })
          return { json: { declaration }, text: declaration.trimEnd() }
        })
      })
  }
