import type { OrganizationMailTexts } from '../../mails.ts'

export const tr: OrganizationMailTexts = {
  hello: 'Merhaba',
  helloName: 'Merhaba {name}',
  'invitation.subject': '{organization} daveti',
  'invitation.subjectBy': '{inviter} sizi davet etti: {organization}',
  'invitation.subjectByOn': '{inviter} sizi {company} üzerinde davet etti: {organization}',
  'invitation.text': '{inviter} sizi {organization} kuruluşuna davet ediyor.',
  'invitation.textUnnamed': '{organization} kuruluşuna davet edildiniz.',
  'invitation.subjectNameless': 'Bir kuruluşa davet',
  'invitation.textNameless': 'Bir kuruluşa davet edildiniz.',
  'invitation.action': 'Daveti gör',
  'invitation.foot':
    'Davet {email} adresi içindir. Geçerlilik süresi: {time}. Neyle ilgili olduğunu bilmiyorsanız bu e-postayı yok sayabilirsiniz.',
}
