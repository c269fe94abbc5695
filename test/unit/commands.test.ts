import { CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { commandGroups, GatehouseCommand } from '../../src/cli/command.ts'
import { listedCommands } from '../../src/cli/help.ts'
import { createProgram } from '../../src/cli/program.ts'

/** Words of a command line as a shell takes them, up to a redirection or pipe. */
const wordsOf = (line: string): readonly string[] =>
  [...line.replace(/\s[<>|].*$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )

const program = createProgram()
const commands = listedCommands(program)

/** Parses a command line without doing anything; gives the name of the command that would run. */
const parse = (line: string): string | undefined => {
  const fresh = createProgram()
  let ran: string | undefined
  fresh.configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
  for (const command of fresh.commands) {
    command.configureOutput({ writeErr: () => undefined, writeOut: () => undefined, outputError: () => undefined })
    command.action(() => {
      ran = command.name()
    })
  }
  try {
    fresh.parse([...wordsOf(line)], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 'help'
    throw error
  }
  return ran
}

describe.each(commands.map((command) => [command.name(), command] as const))('the command %s', (name, command) => {
  test(`${name} stands in a group of help: .inGroup('People') after .command(…) puts it there`, () => {
    expect(commandGroups.map((group) => `${group}:`)).toContain(command.helpGroup())
  })

  test(`${name} has two examples that it understands: .examples('${name} …', '${name} …') before .action(…) gives them`, () => {
    expect(command).toBeInstanceOf(GatehouseCommand)
    expect(command.exampleLines.length).toBeGreaterThanOrEqual(2)
    expect(new Set(command.exampleLines).size).toBe(command.exampleLines.length)
    for (const line of command.exampleLines) expect(parse(line), line).toBe(name)
  })

  test(`${name} gives no option of its own the name of an option that every command has`, () => {
    const global = program.options.flatMap(({ short, long }) => [short, long])
    for (const { short, long } of command.options)
      for (const flag of [short, long]) if (flag !== undefined) expect(global).not.toContain(flag)
  })
})

test('help lists every command once, in the groups of the administrator in their order', () => {
  const help = program.helpInformation()
  const headings = [...help.matchAll(/^([A-Z][a-z ]+):$/gm)]
    .map(([, heading]) => heading)
    .filter((heading) => heading !== 'Options')
  expect(headings).toEqual(commandGroups.filter((group) => headings.includes(group)))
  for (const command of commands)
    expect(help.match(new RegExp(`^ {2}${command.name()}( |$)`, 'gm')), command.name()).toHaveLength(1)
})
