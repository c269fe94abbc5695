/** English, and the list of all texts: every other language has exactly these. `{name}` is filled in. */
export const en = {
  hello: 'Hello',
  helloName: 'Hello {name}',
  'invitation.subject': 'Invitation to {organization}',
  'invitation.subjectBy': '{inviter} invited you to {organization}',
  'invitation.subjectByOn': '{inviter} invited you to {organization} on {company}',
  'invitation.text': '{inviter} invites you to join {organization}.',
  'invitation.textUnnamed': 'You are invited to join {organization}.',
  'invitation.subjectNameless': 'Invitation to an organization',
  'invitation.textNameless': 'You are invited to join an organization.',
  'invitation.action': 'See the invitation',
  'invitation.foot':
    'The invitation is for {email} and can be accepted for {time}. If you do not know what it is about, you can ignore this mail.',
} as const
