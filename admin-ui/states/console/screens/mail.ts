import { mailContract } from '../../../../src/mail/contract.ts'
import { renderMail } from '../../../../src/mail/template.ts'
import { taskContract } from '../../../../src/tasks/contract.ts'
import mailTexts from '../../../locales/mails/en.json'
import { daysAhead } from '../../made-up.ts'
import type { Answers } from '../../state.ts'
import type { ScreenCase } from '../case.ts'
import type { Amount } from '../made-up.ts'
import { agoOf, emailOf, idOf, nameOf, nextOf, rowsOf, times, totalOf } from '../made-up.ts'
import { says, together } from '../typed.ts'
import { settingsAnswer } from './settings.ts'

const kinds = [
  'verification',
  'reset-password',
  'invitation',
  'new-device',
  'email-change-confirmation-of-the-old-address',
] as const
const refusal =
  '550 5.7.1 Unfortunately, messages from [203.0.113.7] weren’t sent. Please contact your Internet service provider since part of their network is on our block list (S3150). [AM0EUR02FT024.eop-EUR02.prod.protection.outlook.com 2026-11-23T09:12:44.102Z 08DE2A5B3F0E4C11]'

const button = { fill: '#14181f', text: '#ffffff', edge: '#14181f' }
const ground = { ground: '#f4f5f7', surface: '#ffffff', line: '#e3e6ea', ink: '#14181f', inkSoft: '#3a414d', inkFaint: '#5f6772' }
const preview = {
  kind: 'verification',
  ...renderMail(
    {
      subject: 'Confirm your address',
      heading: `Hello ${nameOf(2)}`,
      paragraphs: ['Somebody, hopefully you, has created an account with this address.', 'The link works for one hour, once.'],
      facts: [{ label: 'Device', value: 'Firefox on Linux' }],
      action: { label: 'Confirm the address', url: 'https://id.northwind.example/verify-email?token=made-up' },
      footnote: 'If it was not you, there is nothing to do.',
    },
    {
      ...{ name: 'Northwind', isNamed: true, host: 'id.northwind.example', logo: null },
      button: { light: button, dark: { fill: '#f2f4f7', text: '#0f1115', edge: '#f2f4f7' } },
      grounds: { light: ground, dark: { ...ground, ground: '#0f1115', surface: '#181b21' } },
      corners: { card: 20, button: 10 },
      links: { support: 'mailto:help@northwind.example', privacy: 'https://northwind.example/privacy' },
      texts: () => mailTexts.frame,
    },
  ),
}

export const mailAnswers = (amount: Amount): Answers =>
  together(
    says(mailContract, 'listMails', {
      mails: rowsOf(amount, (index) => ({
        id: idOf('mai', index),
        kind: kinds[index % kinds.length] ?? 'verification',
        address: emailOf(index),
        state: (['sent', 'pending', 'failed'] as const)[index % 3] ?? 'sent',
        attempts: index % 3 === 2 ? 14 : 1,
        createdAt: agoOf(index),
        nextAttemptAt: index % 3 === 1 ? daysAhead(0.02) : null,
        lastError: index % 3 === 0 ? null : refusal,
      })),
      next: nextOf(amount),
      total: totalOf(amount),
    }),
    says(mailContract, 'listMailTemplates', {
      templates: times({ empty: 1, few: 3, many: kinds.length }[amount], (index) => ({ kind: kinds[index] ?? 'verification' })),
    }),
    says(mailContract, 'previewMail', preview),
  )

const statuses = ['pending', 'running', 'done', 'dead'] as const

export const mailCases: readonly ScreenCase[] = [
  { pattern: '/admin/mails', answers: mailAnswers, more: { peek: { path: `/admin/mails?peek=${idOf('mai', 2)}` } } },
  { pattern: '/admin/mails/templates', answers: mailAnswers },
  { pattern: '/admin/mails/server', answers: settingsAnswer },
  {
    pattern: '/admin/tasks',
    answers: (amount) =>
      says(taskContract, 'listTasks', {
        tasks: rowsOf(amount, (index) => ({
          id: idOf('tsk', index),
          kind:
            ['mails.send', 'events.webhook', 'retention.prune', 'billing.state-of-all-customers.rebuild'][index % 4] ??
            'mails.send',
          key: index % 2 === 0 ? null : `https://hooks.northwind-international-holdings.example/gatehouse/events?tenant=${index}`,
          label: index % 2 === 0 ? emailOf(index) : null,
          status: statuses[index % 4] ?? 'done',
          attempts: index % 4 === 3 ? 14 : 1,
          dueAt: agoOf(index),
          createdAt: agoOf(index + 1),
          expiresAt: index % 3 === 0 ? daysAhead(1) : null,
          lastError: index % 4 === 3 ? `connect ETIMEDOUT 203.0.113.7:443 after 14 attempts; ${refusal}` : null,
        })),
        next: nextOf(amount),
        total: totalOf(amount),
      }),
    more: { peek: { path: `/admin/tasks?peek=${idOf('tsk', 3)}` } },
  },
]
