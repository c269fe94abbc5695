/**
 * Generates the files of a feature, with a test that passes, and adds the feature to the list of features: `npm run new -- feature
 * opening-hours`. After that, `npm run new -- screen opening-hours` generates the screen of the console that shows the feature, and its
 * states.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Generated {
  /** Files that have to exist, each with the command that creates it. */
  readonly needs?: Readonly<Record<string, string>>
  /** New files, by path. */
  readonly files: Readonly<Record<string, string>>
  /** Changes of existing files, by path. */
  readonly changes: Readonly<Record<string, (text: string) => string>>
  /** What remains to be done by hand. */
  readonly next: readonly string[]
}

/** The forms of a name. For `opening-hours`: `openingHours`, `OpeningHours`, `opening hours`. */
const formsOf = (name: string) => {
  const pascal = name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return { name, pascal, camel: `${pascal.charAt(0).toLowerCase()}${pascal.slice(1)}`, words: name.replaceAll('-', ' ') }
}

const feature = (given: string): Generated => {
  const { name, camel, pascal, words } = formsOf(given)
  return {
    files: {
      [`src/${name}/contract.ts`]: `import { z } from 'zod'
import { instant } from '../core/wire.ts'
import { contract } from '../http/contract.ts'

/** How administrators see ${words}. */
export const ${pascal} = z.object({ startedAt: instant }).meta({ id: '${pascal}' })

export const ${camel}Contract = contract('Administration', {
  read${pascal}: {
    method: 'GET',
    path: '/admin/${name}',
    summary: 'The ${words}',
    access: { permission: 'settings:read' },
    response: ${pascal},
    errors: [],
  },
})
`,
      [`src/${name}/service.ts`]: `import type { Core } from '../core/core.ts'

export type ${pascal} = ReturnType<typeof create${pascal}>

/** The use cases of the ${words}. */
export const create${pascal} = ({ clock }: Pick<Core, 'clock'>) => {
  const startedAt = clock.now()
  return { read: () => ({ startedAt }) }
}
`,
      [`src/${name}/index.ts`]: `import { type Base, defineFeature } from '../feature.ts'
import { bind } from '../http/handlers.ts'
import { ${camel}Contract } from './contract.ts'
import { create${pascal}, type ${pascal} } from './service.ts'

export type { ${pascal} }

/** The ${words}. */
export const ${camel}Feature = defineFeature({
  name: '${name}',
  build: (base: Base) => {
    const ${camel} = create${pascal}(base)
    return { api: { ${camel} }, routes: bind(${camel}Contract, { read${pascal}: () => ${camel}.read() }) }
  },
})
`,
      [`test/http/${name}/${name}.db.test.ts`]: `import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(async () => {
  await t.stop()
})

test('an administrator reads the ${words}, and a person without the permission is refused', async () => {
  const admin = await signedInAs(t, 'admin')
  const answer = await admin.request('/admin/${name}')
  expect([answer.status, answer.json]).toEqual([200, { startedAt: expect.stringMatching(/^\\d{4}-.*Z$/) }])
  const person = await t.signedIn('ann@example.com')
  expect((await person.request('/admin/${name}')).status).toBe(403)
})
`,
    },
    changes: {
      'src/composition.ts': (text) =>
        text
          .replace(/(?=^import \{ setupFeature)/m, `import { ${camel}Feature } from './${name}/index.ts'\n`)
          .replace(/(?=^ {2}settingsFeature,$)/m, `  ${camel}Feature,\n`),
      // The features are built again when a setting changes, so the generated answer is another one.
      'admin-ui/console/live/dependencies.ts': (text) =>
        text.replace(/(?=^ {2}'application names': )/m, `  '/admin/${name}': ['setting'],\n`),
      'test/support/changed.ts': (text) => text.replace(/(?=^ {2}'src\/setup\/': )/m, `  'src/${name}/': ['http/${name}'],\n`),
      'README.md': (text) => text.replace(/(?=^\| `src\/cli` )/m, `| \`src/${name}\` | the ${words} |\n`),
    },
    next: [
      `Move the line of src/composition.ts behind the features that ${camel}Feature needs.`,
      'The line in admin-ui/console/live/dependencies.ts: the kinds of things that the answer shows.',
      'The row of README.md: what the folder holds.',
      'A table: its columns in table.ts, its statements in store.ts with a test in test/stores, and a migration.',
      'npm run docs && npm run typecheck',
    ],
  }
}

/** A catalogue of texts, to which one text was added at its end. */
const withText = (text: string, catalogue: string, key: string, value: string): string => {
  const texts = JSON.parse(text) as Record<string, Record<string, unknown>>
  return `${JSON.stringify({ ...texts, [catalogue]: { ...texts[catalogue], [key]: value } }, null, 2)}\n`
}

const screen = (given: string): Generated => {
  const { name, camel, pascal, words } = formsOf(given)
  const title = `${words.charAt(0).toUpperCase()}${words.slice(1)}`
  return {
    needs: { [`src/${name}/contract.ts`]: `npm run new -- feature ${name}` },
    files: {
      [`admin-ui/console/system/${name}.tsx`]: `import { useQuery } from '@tanstack/react-query'
import { ${camel}Contract } from '../../../src/${name}/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { Facts, Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'

/** The ${words}. */
export const ${pascal}Screen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data, error, refetch } = useQuery(api.query(${camel}Contract, 'read${pascal}'))
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return (
    <Page title={t('system.${camel}')}>
      <Panel title={t('system.${camel}')} actions={<ShowCall target={${camel}Contract.read${pascal}} isQuery />}>
        <Facts rows={[[t('system.${camel}StartedAt'), <Time key="startedAt" at={data.startedAt} exact />]]} />
      </Panel>
    </Page>
  )
}
`,
      [`admin-ui/states/console/screens/${name}.ts`]: `import { ${camel}Contract } from '../../../../src/${name}/contract.ts'
import type { ScreenCase } from '../case.ts'
import { agoOf } from '../made-up.ts'
import { says } from '../typed.ts'

export const ${camel}Cases: readonly ScreenCase[] = [
  { pattern: '/admin/${name}', answers: () => says(${camel}Contract, 'read${pascal}', { startedAt: agoOf(0) }) },
]
`,
    },
    changes: {
      'admin-ui/console/groups.ts': (text) =>
        text.replace(
          /(?<=\n {4}id: 'system',\n[\s\S]*?)(?=\n {4}\],\n)/,
          `
      {
        path: '/admin/${name}',
        label: 'console.screen.${camel}',
        permission: 'settings:read',
        load: () => import('./system/${name}.tsx').then(({ ${pascal}Screen }) => ${pascal}Screen),
      },`,
        ),
      'admin-ui/states/console/states.ts': (text) =>
        text
          .replace(/(?=^import \{ systemCases)/m, `import { ${camel}Cases } from './screens/${name}.ts'\n`)
          .replace(/(?<=^ {2}\.\.\.systemCases,\n)/m, `  ...${camel}Cases,\n`),
      'admin-ui/locales/console/en.json': (text) =>
        [
          ['console', `console.screen.${camel}`, title],
          ['consoleSystem', `system.${camel}`, title],
          ['consoleSystem', `system.${camel}StartedAt`, 'Started'],
        ].reduce((all, [catalogue = '', key = '', value = '']) => withText(all, catalogue, key, value), text),
    },
    next: [
      'npm run texts && npm run typecheck',
      `Look at it: npm run dev, then /_states and console/${name}/few.`,
      'npm run test:galleries',
    ],
  }
}

const kinds: Readonly<Record<string, (name: string) => Generated>> = { feature, screen }

/**
 * Writes the files below `root`. Throws for an unknown kind, a name in a wrong form, a file that should be missing or should exist, and a
 * list whose form has changed.
 */
export const generate = (kind: string, name: string, root: string): Generated => {
  const make = kinds[kind]
  if (make === undefined) throw new Error(`There is no kind ${kind}: ${Object.keys(kinds).join(', ')}`)
  if (!/^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(name))
    throw new Error(`The name ${name} must be words in small letters with hyphens`)
  const generated = make(name)
  const lacking = Object.entries(generated.needs ?? {}).find(([path]) => !existsSync(join(root, path)))
  if (lacking !== undefined) throw new Error(`${lacking[0]} is not there: ${lacking[1]}`)
  const there = Object.keys(generated.files).find((path) => existsSync(join(root, path)))
  if (there !== undefined) throw new Error(`${there} is there already`)
  const changed = Object.entries(generated.changes).map(([path, change]) => {
    const text = readFileSync(join(root, path), 'utf8')
    const next = change(text)
    if (next === text) throw new Error(`${path} has another form than bin/new.ts knows`)
    return [path, next] as const
  })
  for (const [path, text] of [...Object.entries(generated.files), ...changed]) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return generated
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const [kind = '', name = ''] = process.argv.slice(2)
  try {
    const { files, changes, next } = generate(kind, name, root)
    const paths = [...Object.keys(files), ...Object.keys(changes)]
    const formatted = paths.filter((path) => !path.endsWith('.md'))
    execFileSync(process.execPath, [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'check', '--write', ...formatted], {
      cwd: root,
    })
    process.stdout.write(`${paths.join('\n')}\n\nNext:\n${next.map((line) => `- ${line}\n`).join('')}`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${reason}\nnpm run new -- ${Object.keys(kinds).join('|')} <name>\n`)
    process.exitCode = 2
  }
}
