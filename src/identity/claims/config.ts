import { z } from 'zod'
import { claimProblem, presets, sourceProblem } from './rules.ts'

const Mapping = z
  .strictObject({
    preset: z.enum(presets).optional(),
    claim: z.string().min(1).max(100).optional(),
    from: z.string().min(1).max(200).optional(),
    scope: z.string().min(1).max(100).optional(),
    clients: z.array(z.string().min(1).max(255)).min(1).max(1_000).optional(),
    organization: z.string().min(1).max(64).optional(),
  })
  .superRefine(({ preset, claim, from, scope }, context) => {
    const fail = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if ((preset === undefined) === (claim === undefined && from === undefined))
      fail('preset', 'give a preset, or claim and from, and not both')
    if (preset !== undefined) return
    const problem = claim === undefined ? 'is missing: the name of the claim' : claimProblem(claim, scope)
    if (problem !== undefined) fail('claim', problem)
    const wrong = from === undefined ? 'is missing: where the value comes from' : sourceProblem(from)
    if (wrong !== undefined) fail('from', wrong)
  })

export const claimsConfig = z
  .strictObject({
    mappings: z
      .array(Mapping)
      .max(200)
      .default([])
      .describe(
        'Claims of your own: `claim` (its name), `from` (where its value comes from, such as `user.fields.department` or `organization.roles`), `scope` that gives it (default: profile), `clients` that get it (default: all), `organization` that it is limited to; or `preset: roles` or `preset: groups` (docs/how-to/claims.md).',
      ),
  })
  .prefault({})

export type ClaimsConfig = z.output<typeof claimsConfig>
