import { CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { commandGroups, GatehouseCommand } from '../../src/cli/command.ts'
import { listedCommands } from '../../src/cli/help.ts'
import { createProgram } from '../../src/cli/program.ts'

/** Splits a command line into words as a shell does, up to a redirection or pipe. */
const wordsOf = (line: string): readonly string[] =>
  [...line.replace(/\s[<>|].*$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )

const program = createProgram()
const commands = listedCommands(program)

/** Parses a command line without running it. Returns the name of the command that would run. */
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
  test(`${name} has a group of help: .inGroup('People') after .command(…) sets it`, () => {
    expect(commandGroups.map((group) => `${group}:`)).toContain(command.helpGroup())
  })

  test(`${name} has two valid examples: .examples('${name} …', '${name} …') before .action(…) sets them`, () => {
    expect(command).toBeInstanceOf(GatehouseCommand)
    expect(command.exampleLines.length).toBeGreaterThanOrEqual(2)
    expect(new Set(command.exampleLines).size).toBe(command.exampleLines.length)
    for (const line of command.exampleLines) expect(parse(line), line).toBe(name)
  })

  test(`${name} has no option of its own with the name of a common option`, () => {
    const global = program.options.flatMap(({ short, long }) => [short, long])
    for (const { short, long } of command.options)
      for (const flag of [short, long]) if (flag !== undefined) expect(global).not.toContain(flag)
  })
})

test("help lists every command once, in the administrator's order of groups", () => {
  const help = program.helpInformation()
  const headings = [...help.matchAll(/^([A-Z][a-z ]+):$/gm)]
    .map(([, heading]) => heading)
    .filter((heading) => heading !== 'Options')
  expect(headings).toEqual(commandGroups.filter((group) => headings.includes(group)))
  for (const command of commands)
    expect(help.match(new RegExp(`^ {2}${command.name()}( |$)`, 'gm')), command.name()).toHaveLength(1)
})
