import type { OrganizationMailTexts } from '../../mails.ts'

export const fr: OrganizationMailTexts = {
  hello: 'Bonjour',
  helloName: 'Bonjour {name}',
  'invitation.subject': 'Invitation à {organization}',
  'invitation.subjectBy': '{inviter} vous invite à rejoindre {organization}',
  'invitation.subjectByOn': '{inviter} vous invite à rejoindre {organization} sur {company}',
  'invitation.text': '{inviter} vous invite à rejoindre {organization}.',
  'invitation.textUnnamed': 'On vous invite à rejoindre {organization}.',
  'invitation.subjectNameless': 'Invitation à une organisation',
  'invitation.textNameless': 'On vous invite à rejoindre une organisation.',
  'invitation.action': 'Voir l’invitation',
  'invitation.foot':
    'L’invitation est destinée à {email}. Durée de validité : {time}. Si vous ne savez pas de quoi il s’agit, vous pouvez ignorer cet e-mail.',
}
