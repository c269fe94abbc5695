import type { OrganizationMailTexts } from '../../mails.ts'

export const de: OrganizationMailTexts = {
  hello: 'Guten Tag',
  helloName: 'Guten Tag, {name}',
  'invitation.subject': 'Einladung zu {organization}',
  'invitation.subjectBy': '{inviter} hat Sie zu {organization} eingeladen',
  'invitation.subjectByOn': '{inviter} hat Sie zu {organization} bei {company} eingeladen',
  'invitation.text': '{inviter} lädt Sie ein, {organization} beizutreten.',
  'invitation.textUnnamed': 'Sie sind eingeladen, {organization} beizutreten.',
  'invitation.subjectNameless': 'Einladung zu einer Organisation',
  'invitation.textNameless': 'Sie sind eingeladen, einer Organisation beizutreten.',
  'invitation.action': 'Einladung ansehen',
  'invitation.foot':
    'Die Einladung gilt für {email}. Gültigkeit: {time}. Wenn Sie nicht wissen, worum es geht, können Sie diese E-Mail ignorieren.',
}
