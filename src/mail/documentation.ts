const mail = {
  ...{ id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', kind: 'reset-password', address: 'ann@example.com', state: 'failed' },
  ...{ attempts: 12, createdAt: '2026-11-23T08:00:00.000Z', nextAttemptAt: null, lastError: '550 mailbox unavailable' },
}

/** What the API document says besides the contract. */
export const mailDocumentation = {
  listMails: {
    description:
      'Newest first, as long as `mail.keepSentDays` and `mail.keepFailedDays` keep them. `address` is a whole address, `createdUntil` is ' +
      'exclusive. A page may hold fewer than `limit` mails and still have a `next`: the filters by kind and by `pending` and `sent` look at ' +
      'a thousand mails at a time. The words and links of a mail are never shown.',
    example: { response: { mails: [mail], next: null } },
  },
  listMailTemplates: {
    description: 'Mails are templates by their kind; each exists in every language.',
    example: { response: { templates: [{ kind: 'verification' }, { kind: 'reset-password' }] } },
  },
  previewMail: {
    description:
      'Made by the renderer of real mails, with the texts of your own in place of ours, for the name of the caller. Nothing is sent, and links ' +
      'and codes open nothing. `name` and `color` show it with another brand.',
    example: {
      response: {
        ...{ kind: 'verification', subject: 'Confirm your address', text: 'Hello Ann, …' },
        html: '<!doctype html>…',
      },
    },
  },
  retryMail: {
    description: 'What `gatehouse retry-mail` does, to a mail whose state is `failed`.',
    example: { response: { ...mail, state: 'pending', attempts: 0, nextAttemptAt: '2026-11-23T10:00:00.000Z' } },
  },
}
