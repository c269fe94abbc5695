import type { LinkMessagesOf } from '../../i18n.ts'

export const tr: LinkMessagesOf<'tr'> = {
  'confirmEmail.title': 'E-posta adresinizi onaylayın',
  'confirmEmail.text': 'Bu adresin size ait olduğunu doğrulamamızı istediniz. Tek bir tıklama yeterli.',
  'confirmEmail.submit': 'Adresi onayla',
  'confirmEmail.withPassword':
    'Burada {email} adresiyle bir hesap var. Onun için seçilen parolayı girin; adres doğrulanmış olur.',
  'confirmEmail.notMine': 'Parolayı bilmiyorum ya da bu hesabı ben açmadım',
  'confirmEmail.claimTitle': 'Bu hesabı kendinizin yapın',
  'confirmEmail.claim':
    '{email} için yeni bir parola seçin. Hesabı açan kişinin tüm oturumları kapatılır, diğer giriş yolları kaldırılır.',
  'confirmEmail.claimSubmit': 'Parolayı kaydet ve doğrula',
  'confirmEmail.usePassword': 'Parolayı biliyorum',
  'recover.title': 'Hesabınızı geri alın',
  'recover.lead':
    'Hesabınızın adresi değiştirildi. Bunu siz yapmadıysanız yeni bir parola seçin: {email} yeniden hesabın adresi olur.',
  'recover.loses':
    'Tüm oturumlar kapatılır, bağlı hesapların ve uygulamaların bağlantısı kesilir. Onları yeniden bağlayabilirsiniz.',
  'recover.submit': 'Hesabı geri al',
  'recover.doneTitle': 'Hesap yeniden sizin',
  'recover.done': 'Adresi yeniden {email}. Bundan sonra yeni parolayla giriş yapın.',
  'recover.invalid':
    'Hesabı geri alma bağlantıları bir kez ve sınırlı bir süre çalışır. Giriş yapamıyorsanız yöneticinizden yardım isteyin.',

  'setup.title': 'gatehouse’a hoş geldiniz',
  'setup.lead': 'İlk yöneticiyi oluşturun. Ardından bu bağlantı geçersiz olur.',
  'setup.submit': 'Yöneticiyi oluştur',
  'setup.working': 'Kuruluyor…',
  'setup.usedTitle': 'Bu kurulum bağlantısı kullanılmış',
  'setup.used': 'Bir kez ve bir saat geçerlidir. Sunucuda yenisini şu komutla oluşturun:',
  'setup.missingTitle': 'Bir kurulum bağlantısı gerekli',
  'setup.missing': 'İlk başlatmada günlüğe yazıldı. Sunucuda yenisini şu komutla oluşturun:',
  'setup.doneTitle': 'Bu sunucu zaten kurulmuş',
  'setup.done':
    'Bir yönetici zaten var, bu yüzden kurulum bağlantıları artık çalışmaz. Oturum açın; parola kaybolduysa orada yenisini isteyin ya da sunucuda şu komutla belirleyin:',
}
