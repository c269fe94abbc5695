import type { OrganizationMailTexts } from '../../mails.ts'

export const pl: OrganizationMailTexts = {
  hello: 'Dzień dobry',
  helloName: 'Dzień dobry, {name}',
  'invitation.subject': 'Zaproszenie do {organization}',
  'invitation.subjectBy': '{inviter} zaprasza Cię do {organization}',
  'invitation.subjectByOn': '{inviter} zaprasza Cię do {organization} w {company}',
  'invitation.text': '{inviter} zaprasza Cię do organizacji {organization}.',
  'invitation.textUnnamed': 'Zapraszamy Cię do organizacji {organization}.',
  'invitation.subjectNameless': 'Zaproszenie do organizacji',
  'invitation.textNameless': 'Zapraszamy Cię do organizacji.',
  'invitation.action': 'Zobacz zaproszenie',
  'invitation.foot':
    'Zaproszenie jest dla {email}. Czas ważności: {time}. Jeśli nie wiesz, czego dotyczy, zignoruj tę wiadomość.',
}
