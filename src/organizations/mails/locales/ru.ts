import type { OrganizationMailTexts } from '../../mails.ts'

export const ru: OrganizationMailTexts = {
  hello: 'Здравствуйте',
  helloName: 'Здравствуйте, {name}',
  'invitation.subject': 'Приглашение в {organization}',
  'invitation.subjectBy': '{inviter} приглашает вас в {organization}',
  'invitation.subjectByOn': '{inviter} приглашает вас в {organization} на {company}',
  'invitation.text': '{inviter} приглашает вас в организацию {organization}.',
  'invitation.textUnnamed': 'Вас приглашают в организацию {organization}.',
  'invitation.subjectNameless': 'Приглашение в организацию',
  'invitation.textNameless': 'Вас приглашают в организацию.',
  'invitation.action': 'Посмотреть приглашение',
  'invitation.foot':
    'Приглашение выписано на {email}. Срок действия: {time}. Если вы не знаете, о чём речь, просто не обращайте внимания на это письмо.',
}
