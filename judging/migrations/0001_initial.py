"""The first tables."""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
import judging.base.models.constraints
import judging.crowd.models.crowd
import judging.people.models.user
import uuid
from django.conf import settings
from django.db import migrations, models
from django.db.migrations import operations


class CreateModels(operations.base.Operation):
    """Create many models at once: one by one, Django would render all related models for each."""

    reversible = False

    def __init__(self, models):
        self.models = models

    def state_forwards(self, app_label, state):
        state.__dict__.pop("apps", None)  # rendered again when it is needed
        for model in self.models:
            model.state_forwards(app_label, state)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        for model in self.models:
            model.database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        CreateModels(
            models=[
                migrations.CreateModel(
                    name='Event',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('who', models.BigIntegerField(editable=False, help_text='The id of the account that acted; none where nobody was logged in.', null=True)),
                        ('act', models.CharField(editable=False, max_length=40)),
                        ('campaign', models.UUIDField(editable=False, help_text="The campaign's uuid, which outlasts a draft.", null=True)),
                        ('about', models.CharField(blank=True, editable=False, help_text='What was acted on: account 7, A03.', max_length=120)),
                        ('before', models.CharField(blank=True, editable=False, max_length=200)),
                        ('after', models.CharField(blank=True, editable=False, max_length=200)),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('campaign__isnull', False)), fields=['campaign', 'id'], name='event_of_campaign')],
                    },
                ),
                migrations.CreateModel(
                    name='LogInAttempts',
                    fields=[
                        ('key', models.CharField(max_length=64, primary_key=True, serialize=False)),
                        ('attempts', models.PositiveSmallIntegerField(default=0)),
                        ('last_at', models.DateTimeField(db_index=True)),
                        ('visitor', models.CharField(blank=True, db_default='', default='', max_length=64)),
                    ],
                ),
                migrations.CreateModel(
                    name='StoredFile',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('sha256', models.CharField(max_length=64, unique=True)),
                        ('size', models.PositiveBigIntegerField()),
                        ('content', models.BinaryField()),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='StoredPart',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('file', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='judging.storedfile')),
                        ('number', models.PositiveIntegerField()),
                        ('content', models.BinaryField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('file', 'number'), name='stored_part_once')],
                    },
                ),
                migrations.CreateModel(
                    name='WorkerPresence',
                    fields=[
                        ('name', models.CharField(max_length=200, primary_key=True, serialize=False)),
                        ('seen_at', models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name='User',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('password', models.CharField(max_length=128, verbose_name='password')),
                        ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                        ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                        ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                        ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                        ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                        ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                        ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                        ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                        ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                        ('may_create_campaigns', models.BooleanField(default=False)),
                        ('link_nonce', models.CharField(default=judging.people.models.user.new_nonce, max_length=32)),
                        ('version', models.PositiveIntegerField(default=0, editable=False, help_text='Sessions and tokens made under an earlier version are not valid.')),
                        ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                        ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                    ],
                    options={
                        'verbose_name': 'user',
                        'verbose_name_plural': 'users',
                        'abstract': False,
                    },
                    managers=[
                        ('objects', django.contrib.auth.models.UserManager()),
                    ],
                ),
                migrations.CreateModel(
                    name='IdempotentRequest',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('key', models.CharField(max_length=200)),
                        ('digest', models.CharField(help_text='Of method, address and content.', max_length=64)),
                        ('status', models.PositiveSmallIntegerField()),
                        ('body', models.TextField()),
                        ('location', models.CharField(blank=True, max_length=300)),
                        ('created_at', models.DateTimeField(auto_now_add=True, db_index=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='idempotency_key_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Protocol',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('key', models.SlugField(max_length=60)),
                        ('version', models.CharField(max_length=20)),
                        ('digest', models.CharField(max_length=64)),
                        ('title', models.CharField(max_length=200)),
                        ('task', models.CharField(choices=[('source', "all systems' questions of one source"), ('question_set', "one system's set"), ('unit', 'single questions, several to a page')], max_length=12)),
                        ('page_size', models.PositiveSmallIntegerField(default=1)),
                        ('document', models.JSONField()),
                        ('owner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='protocols', to=settings.AUTH_USER_MODEL)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('key', 'version', 'digest', 'owner'), name='protocol_once', nulls_distinct=False), models.CheckConstraint(condition=models.Q(('page_size__gte', 1)), name='protocol_page_size')],
                    },
                ),
                migrations.CreateModel(
                    name='Criterion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('protocol', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='criteria', to='judging.protocol')),
                        ('key', models.SlugField(max_length=60)),
                        ('name', models.CharField(max_length=100)),
                        ('position', models.PositiveSmallIntegerField()),
                        ('stage', models.PositiveSmallIntegerField(default=0)),
                        ('unit', models.CharField(choices=[('question', 'question'), ('set', 'set')], max_length=10)),
                        ('asked', models.CharField(choices=[('per_unit', 'of each unit'), ('once_per_set', 'once per set, stored on each member')], max_length=12)),
                        ('level', models.CharField(choices=[('nominal', 'nominal'), ('ordinal', 'ordinal'), ('interval', 'interval')], max_length=10)),
                        ('best', models.CharField(choices=[('highest', 'highest'), ('lowest', 'lowest'), ('none', 'no best end')], max_length=10)),
                    ],
                    options={
                        'ordering': ['protocol', 'position'],
                        'constraints': [models.UniqueConstraint(fields=('protocol', 'key'), name='criterion_key'), models.UniqueConstraint(fields=('protocol', 'position'), name='criterion_position')],
                    },
                ),
                migrations.CreateModel(
                    name='ProtocolDraft',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='protocol_drafts', to=settings.AUTH_USER_MODEL)),
                        ('title', models.CharField(blank=True, max_length=200)),
                        ('text', models.TextField()),
                        ('revision', models.PositiveIntegerField(default=1)),
                        ('updated_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['-updated_at', 'pk'],
                    },
                ),
                migrations.CreateModel(
                    name='ScalePoint',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='points', to='judging.criterion')),
                        ('value', models.SmallIntegerField()),
                        ('label', models.CharField(max_length=300)),
                        ('missing', models.BooleanField(default=False)),
                    ],
                    options={
                        'ordering': ['criterion', 'value'],
                        'constraints': [models.UniqueConstraint(fields=('criterion', 'value'), name='scale_point_value')],
                    },
                ),
                migrations.CreateModel(
                    name='TwoFactor',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='two_factor', to=settings.AUTH_USER_MODEL)),
                        ('secret', models.TextField(editable=False)),
                        ('confirmed_at', models.DateTimeField(blank=True, help_text='It counts once a code of it was shown.', null=True)),
                        ('last_step', models.BigIntegerField(default=0, help_text='The half minute of the last code: none is taken twice.')),
                        ('recovery', models.JSONField(blank=True, default=list, help_text='Hashes of the codes that are left.')),
                    ],
                ),
                migrations.CreateModel(
                    name='Visit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('session_key', models.CharField(max_length=40, unique=True)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='visits', to=settings.AUTH_USER_MODEL)),
                        ('browser', models.CharField(blank=True, max_length=60)),
                        ('began_at', models.DateTimeField()),
                        ('seen_at', models.DateTimeField(db_index=True)),
                    ],
                    options={
                        'ordering': ['-seen_at'],
                    },
                ),
                migrations.CreateModel(
                    name='ApiToken',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='api_token', to=settings.AUTH_USER_MODEL)),
                        ('digest', models.CharField(max_length=64, unique=True)),
                        ('scope', models.CharField(choices=[('read', 'read'), ('manage', 'read and manage'), ('annotate', 'annotate')], default='read', max_length=8)),
                        ('version', models.PositiveIntegerField(help_text='The version of the account when the token was made.')),
                        ('made_at', models.DateTimeField()),
                        ('expires_at', models.DateTimeField()),
                        ('used_at', models.DateTimeField(blank=True, help_text='The last use, to the hour.', null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='EventSeal',
                    fields=[
                        ('event', models.OneToOneField(db_constraint=False, editable=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='seal', serialize=False, to='judging.event')),
                        ('position', models.BigIntegerField(editable=False, unique=True)),
                        ('previous', models.CharField(editable=False, max_length=64, unique=True)),
                        ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='Dataset',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=200)),
                        ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='datasets', to=settings.AUTH_USER_MODEL)),
                        ('licence', models.CharField(blank=True, max_length=200)),
                        ('language', models.CharField(default='en', help_text='Language tag of the texts, such as en or ar.', max_length=35)),
                        ('file', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='datasets', to='judging.storedfile')),
                        ('file_name', models.CharField(blank=True, max_length=255)),
                        ('file_sha256', models.CharField(blank=True, max_length=64)),
                        ('mapping', models.JSONField(blank=True, default=dict, help_text="How the file's columns were read.")),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'indexes': [models.Index(fields=['owner', 'file_sha256'], name='dataset_by_file')],
                    },
                ),
                migrations.CreateModel(
                    name='Campaign',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('title', models.CharField(max_length=200)),
                        ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='campaigns', to='judging.dataset')),
                        ('protocol', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='campaigns', to='judging.protocol')),
                        ('state', models.CharField(choices=[('draft', 'draft'), ('locked', 'locked'), ('open', 'open'), ('paused', 'paused'), ('closed', 'closed'), ('archived', 'archived')], default='draft', max_length=8)),
                        ('origin', models.CharField(choices=[('judged', 'judged here'), ('imported', 'imported ratings'), ('simulated', 'simulated annotators')], default='judged', max_length=9)),
                        ('annotators_per_task', models.PositiveSmallIntegerField(default=3, validators=[django.core.validators.MinValueValidator(1)])),
                        ('tasks_per_annotator', models.PositiveIntegerField(blank=True, help_text='At most; none where there is no limit.', null=True, validators=[django.core.validators.MinValueValidator(1)])),
                        ('order', models.CharField(choices=[('depth', 'depth first: finish tasks one after the other'), ('breadth', 'breadth first: one annotator on everything, then the next'), ('panel', 'rotated panel: each annotator meets each source once, with the systems in turn')], default='depth', max_length=7)),
                        ('seed', models.PositiveIntegerField(default=1, help_text='What orders were drawn from before campaigns had secrets; nothing new is drawn from it.')),
                        ('secret', models.CharField(blank=True, editable=False, help_text='256 bits from which every order is drawn, in hex.', max_length=64)),
                        ('seeded_before', models.DateTimeField(blank=True, editable=False, help_text='What was laid out before this was drawn from the seed.', null=True)),
                        ('secret_revealed_at', models.DateTimeField(blank=True, editable=False, null=True)),
                        ('lease_minutes', models.PositiveIntegerField(default=120, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10080)])),
                        ('selection', models.JSONField(blank=True, default=dict, help_text='Which part of the dataset is judged; empty for all of it.')),
                        ('trains', models.BooleanField(db_default=False, default=False, editable=False, help_text='Whether there are training items.')),
                        ('qualifies', models.BooleanField(db_default=False, default=False, editable=False, help_text='Whether there are qualification items.')),
                        ('pass_mark', models.PositiveSmallIntegerField(db_default=80, default=80, help_text="Per cent of the qualification's answers that must be right.", validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)])),
                        ('tries', models.PositiveSmallIntegerField(db_default=2, default=2, help_text='How often an annotator may try the qualification.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10)])),
                        ('qualification_paid', models.BooleanField(db_default=False, default=False, help_text='Whether the time of the qualification is paid, passed or not.')),
                        ('guideline_version', models.PositiveSmallIntegerField(db_default=0, default=0, editable=False, help_text='Which version of its own decisions; 0 where it has none.')),
                        ('fixed_language', models.CharField(blank=True, db_default='', default='', help_text="The language of the annotators' pages; empty if annotators choose.", max_length=10)),
                        ('fixed_view', models.CharField(blank=True, choices=[('focus', 'one question at a time'), ('list', 'list of all questions')], db_default='', default='', help_text='How tasks are laid out; empty if annotators choose.', max_length=5)),
                        ('review_before_submit', models.BooleanField(db_default=True, default=True, help_text='Whether annotators see all answers of a task before they submit it.')),
                        ('highlight_keywords', models.BooleanField(db_default=False, default=False, help_text='Whether the words of a question are highlighted in its passage.')),
                        ('time_zone', models.CharField(default='UTC', max_length=60)),
                        ('introduction', models.TextField(blank=True, help_text='What annotators read before they begin.')),
                        ('consent', models.TextField(blank=True, help_text='What annotators agree to; they tick it before the first task.')),
                        ('text_language', models.CharField(db_default='en', default='en', help_text='The language in which introduction, consent and pay were first written.', max_length=10)),
                        ('translated_texts', models.JSONField(blank=True, default=dict, help_text='Introduction, consent and pay in other languages: judging.campaigns.campaign_texts.')),
                        ('contact', models.CharField(blank=True, max_length=200)),
                        ('ethics', models.CharField(blank=True, help_text='Which body approved the study, with its number; or that none did.', max_length=200)),
                        ('withdrawal', models.BooleanField(default=False, help_text='Annotators may erase what they did themselves, until the campaign is closed.')),
                        ('analysis_plan', models.TextField(blank=True, help_text='What will be compared, written before the lock.')),
                        ('sample_reason', models.TextField(blank=True, help_text='Why so many questions and annotators, written before.')),
                        ('hypotheses', models.JSONField(blank=True, default=dict, help_text='The declarations of the plan: judging.campaigns.hypotheses.')),
                        ('retention_days', models.PositiveSmallIntegerField(blank=True, help_text='So long after closing the accounts of annotators without a password are forgotten; empty: never.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3650)])),
                        ('pay', models.CharField(blank=True, help_text='What annotators get, in words.', max_length=300)),
                        ('quality', models.JSONField(blank=True, default=dict, help_text='Checks, thresholds of flags and exclusion rules: judging.quality.quality.')),
                        ('checked', models.BooleanField(db_default=False, default=False, help_text='Whether its plan puts in tasks that check how annotators work.')),
                        ('rate', models.JSONField(blank=True, default=dict, help_text='Planned pay: amount, currency, minutes a task, floor an hour.')),
                        ('reproduces', models.ForeignKey(blank=True, editable=False, help_text='The closed study that this one repeats with other annotators.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reproductions', to='judging.campaign')),
                        ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('locked_at', models.DateTimeField(blank=True, null=True)),
                        ('closed_at', models.DateTimeField(blank=True, null=True)),
                        ('locked_plan', models.JSONField(blank=True, help_text='What was locked: protocol, design, texts, file hash.', null=True)),
                        ('locked_digest', models.CharField(blank=True, max_length=64)),
                    ],
                    options={
                        'ordering': ['-created_at', '-id'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'locked', 'open', 'paused', 'closed', 'archived'])), name='campaign_state'), models.CheckConstraint(condition=models.Q(('annotators_per_task__gte', 1)), name='campaign_annotators_per_task'), models.CheckConstraint(condition=models.Q(('tasks_per_annotator__isnull', True), ('tasks_per_annotator__gte', 1), _connector='OR'), name='campaign_tasks_per_annotator'), models.CheckConstraint(condition=models.Q(('lease_minutes__gte', 1), ('lease_minutes__lte', 10080)), name='campaign_lease'), models.CheckConstraint(condition=models.Q(models.Q(('locked_at__isnull', True), ('locked_digest', ''), ('locked_plan__isnull', True), ('state', 'draft')), models.Q(models.Q(('state', 'draft'), _negated=True), ('locked_at__isnull', False), ('locked_plan__isnull', False), models.Q(('locked_digest', ''), _negated=True)), _connector='OR'), name='campaign_locked_has_plan'), models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'closed', 'archived']), ('secret__regex', '^[0-9a-f]{64}$'), _connector='OR'), name='campaign_running_has_secret'), models.CheckConstraint(condition=models.Q(('secret_revealed_at__isnull', True), ('state__in', ['closed', 'archived']), _connector='OR'), name='campaign_revealed_is_closed')],
                    },
                ),
                migrations.CreateModel(
                    name='Exercise',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='exercises', to='judging.campaign')),
                        ('kind', models.CharField(choices=[('training', 'training'), ('qualification', 'qualification')], max_length=13)),
                        ('number', models.PositiveSmallIntegerField()),
                        ('passage', models.TextField(blank=True)),
                        ('answer', models.TextField(blank=True)),
                        ('question', models.TextField()),
                        ('repeats', models.ForeignKey(blank=True, help_text='The exercise that this one asks again, to see whether somebody agrees with themselves.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='repetitions', to='judging.exercise')),
                    ],
                    options={
                        'ordering': ['campaign', 'kind', 'number'],
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'kind', 'number'), name='exercise_number'), models.CheckConstraint(condition=models.Q(('kind__in', ['training', 'qualification'])), name='exercise_kind'), models.CheckConstraint(condition=models.Q(('question', ''), _negated=True), name='exercise_has_question')],
                    },
                ),
                migrations.CreateModel(
                    name='ExerciseKey',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('exercise', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='keys', to='judging.exercise')),
                        ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.criterion')),
                        ('accepted', models.JSONField(help_text="A list of the criterion's values.")),
                        ('explanation', models.TextField(blank=True)),
                    ],
                    options={
                        'ordering': ['exercise', 'criterion__position'],
                        'constraints': [models.UniqueConstraint(fields=('exercise', 'criterion'), name='exercise_key_once')],
                    },
                ),
                migrations.CreateModel(
                    name='ExitQuestion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='exit_questions', to='judging.campaign')),
                        ('number', models.PositiveSmallIntegerField()),
                        ('text', models.CharField(max_length=300)),
                        ('kind', models.CharField(choices=[('text', 'free text'), ('choice', 'one of several')], default='text', max_length=6)),
                        ('options', models.JSONField(blank=True, default=list)),
                        ('reason', models.CharField(help_text='Why it is asked.', max_length=300)),
                        ('personal', models.BooleanField(default=False, help_text='Whether it is about the person: then answers are never shown beside a label.')),
                    ],
                    options={
                        'ordering': ['campaign', 'number'],
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'number'), name='exit_question_number'), models.CheckConstraint(condition=models.Q(models.Q(('text', ''), _negated=True), models.Q(('reason', ''), _negated=True)), name='exit_question_has_reason'), models.CheckConstraint(condition=models.Q(('kind', 'text'), ('kind', 'choice'), _connector='OR'), name='exit_question_kind')],
                    },
                ),
                migrations.CreateModel(
                    name='Invitation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='judging.campaign')),
                        ('number', models.CharField(default=judging.people.models.user.new_nonce, editable=False, max_length=32)),
                        ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                        ('role', models.CharField(choices=[('manager', 'manager'), ('analyst', 'analyst'), ('annotator', 'annotator')], default='annotator', max_length=10)),
                        ('label', models.CharField(blank=True, max_length=100)),
                        ('places', models.PositiveIntegerField(blank=True, default=1, help_text='How many may join; empty, in older links: no limit.', null=True)),
                        ('expires_at', models.DateTimeField(blank=True, null=True)),
                        ('revoked_at', models.DateTimeField(blank=True, null=True)),
                        ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('role', 'annotator'), ('revoked_at__isnull', False), _connector='OR'), name='invitation_for_annotators')],
                    },
                ),
                migrations.CreateModel(
                    name='LLMJudge',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='llm_judges', to='judging.campaign')),
                        ('name', models.CharField(max_length=100)),
                        ('model', models.CharField(help_text="The model's id as its maker writes it.", max_length=200)),
                        ('version', models.CharField(blank=True, help_text='Release, revision or date of the weights.', max_length=200)),
                        ('prompt', models.TextField(blank=True, help_text='The instruction, word for word.')),
                        ('prompt_sha256', models.CharField(blank=True, max_length=64)),
                        ('temperature', models.FloatField(blank=True, null=True)),
                        ('judged_on', models.DateField(blank=True, null=True)),
                        ('cost', models.DecimalField(blank=True, decimal_places=10, max_digits=20, null=True)),
                        ('currency', models.CharField(blank=True, max_length=3)),
                        ('own_systems', models.JSONField(blank=True, default=list, help_text="Systems of the judge's own model family.")),
                        ('file', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.storedfile')),
                        ('file_name', models.CharField(blank=True, max_length=255)),
                        ('problems', models.JSONField(blank=True, default=list, help_text='Rows and values that could not be taken, and why.')),
                        ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'ordering': ['campaign', 'id'],
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'name'), name='llm_judge_name'), models.CheckConstraint(condition=models.Q(models.Q(('name', ''), _negated=True), models.Q(('model', ''), _negated=True)), name='llm_judge_has_name'), models.CheckConstraint(condition=models.Q(('prompt', ''), models.Q(('prompt_sha256', ''), _negated=True), _connector='XOR'), name='llm_judge_prompt_hash'), models.CheckConstraint(condition=models.Q(('temperature__isnull', True), ('temperature__gte', 0), _connector='OR'), name='llm_judge_temperature'), models.CheckConstraint(condition=models.Q(('cost__isnull', True), ('cost__gte', 0), _connector='OR'), name='llm_judge_cost')],
                    },
                ),
                migrations.CreateModel(
                    name='Membership',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='judging.campaign')),
                        ('role', models.CharField(choices=[('manager', 'manager'), ('analyst', 'analyst'), ('annotator', 'annotator')], max_length=10)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('user', 'campaign', 'role'), name='membership_once'), models.CheckConstraint(condition=models.Q(('role__in', ['manager', 'analyst', 'annotator'])), name='membership_role')],
                    },
                ),
                migrations.CreateModel(
                    name='Round',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rounds', to='judging.campaign')),
                        ('kind', models.CharField(choices=[('main', 'main'), ('pilot', 'pilot'), ('calibration', 'calibration'), ('training', 'training'), ('checks', 'checks')], default='main', max_length=11)),
                        ('number', models.PositiveSmallIntegerField(default=1)),
                        ('annotators_per_task', models.PositiveSmallIntegerField(blank=True, help_text='Where it is not as the campaign plans.', null=True, validators=[django.core.validators.MinValueValidator(1)])),
                        ('apart', models.BooleanField(db_default=False, default=False, help_text='Whether the main round leaves out the sources judged here.')),
                        ('opened_at', models.DateTimeField(blank=True, null=True)),
                        ('closed_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'ordering': ['campaign', 'id'],
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'kind', 'number'), name='round_once'), models.UniqueConstraint(condition=models.Q(('kind', 'main')), fields=('campaign',), name='round_one_main'), models.CheckConstraint(condition=models.Q(('closed_at__isnull', True), ('opened_at__isnull', False), _connector='OR'), name='round_closes_after_opening')],
                    },
                ),
                migrations.CreateModel(
                    name='Task',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('round', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='tasks', to='judging.round')),
                        ('number', models.PositiveIntegerField()),
                    ],
                    options={
                        'ordering': ['round', 'number'],
                        'constraints': [models.UniqueConstraint(fields=('round', 'number'), name='task_number')],
                    },
                ),
                migrations.CreateModel(
                    name='GuidelineVersion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='guideline_versions', to='judging.campaign')),
                        ('number', models.PositiveSmallIntegerField()),
                        ('text', models.TextField()),
                        ('round', models.ForeignKey(blank=True, help_text='After which round it was written.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='judging.round')),
                        ('written_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('written_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['campaign', 'number'],
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'number'), name='guideline_version_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Webhook',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='judging.campaign')),
                        ('url', models.CharField(max_length=500)),
                        ('events', models.JSONField(help_text='The events that are sent.')),
                        ('secret', models.TextField(editable=False, help_text='Encrypted.')),
                        ('is_active', models.BooleanField(default=True)),
                        ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('events', []), _negated=True), name='webhook_has_events')],
                    },
                ),
                migrations.CreateModel(
                    name='WebhookDelivery',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='judging.webhook')),
                        ('event', models.CharField(max_length=20)),
                        ('data', models.JSONField()),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                        ('state', models.CharField(choices=[('waiting', 'waiting'), ('delivered', 'delivered'), ('failed', 'failed')], default='waiting', max_length=9)),
                        ('attempts', models.PositiveSmallIntegerField(default=0)),
                        ('next_attempt_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('delivered_at', models.DateTimeField(blank=True, null=True)),
                        ('status', models.PositiveSmallIntegerField(blank=True, help_text='The HTTP status of the last response.', null=True)),
                        ('problem', models.CharField(blank=True, help_text='Why the last attempt was not accepted.', max_length=200)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'delivered', 'failed'])), name='webhook_delivery_state'), models.CheckConstraint(condition=models.Q(('state', 'delivered'), ('delivered_at__isnull', True), _connector='XOR'), name='webhook_delivery_delivered_at')],
                        'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['next_attempt_at'], name='webhook_delivery_due'), models.Index(fields=['webhook', '-created_at'], name='webhook_delivery_log')],
                    },
                ),
                migrations.CreateModel(
                    name='Adjudication',
                    fields=[
                        ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='adjudication', serialize=False, to='judging.campaign')),
                        ('adjudicator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to=settings.AUTH_USER_MODEL)),
                        ('threshold', models.PositiveSmallIntegerField(default=1, help_text='Ranks that annotators may lie apart without it being settled.', validators=[django.core.validators.MinValueValidator(0)])),
                        ('named_at', models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name='AnalysedAgreement',
                    fields=[
                        ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='agreement', serialize=False, to='judging.campaign')),
                        ('criteria', models.JSONField(default=dict, help_text="By the criterion's key: alpha, its interval, and why there is none.")),
                        ('run', models.PositiveIntegerField()),
                        ('found_at', models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name='DryRun',
                    fields=[
                        ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='dry_run', serialize=False, to='judging.campaign')),
                        ('draft', models.ForeignKey(help_text='What it is a copy of.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='dry_runs', to='judging.campaign')),
                        ('number', models.PositiveSmallIntegerField()),
                        ('settings', models.JSONField(default=dict, help_text='What was assumed of systems and annotators.')),
                        ('outcome', models.JSONField(blank=True, default=dict, help_text='What was planted, and with what power it is found.')),
                    ],
                    options={
                        'ordering': ['draft', '-number'],
                        'constraints': [models.UniqueConstraint(fields=('draft', 'number'), name='dry_run_number')],
                    },
                ),
                migrations.CreateModel(
                    name='Snapshot',
                    fields=[
                        ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='snapshot', serialize=False, to='judging.campaign')),
                        ('document', models.JSONField(default=dict)),
                        ('taken_at', models.DateTimeField()),
                        ('seconds', models.FloatField(help_text='How long counting took; the next count waits many times as long.')),
                    ],
                ),
                migrations.CreateModel(
                    name='Job',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('kind', models.CharField(help_text='The name of the task that does it.', max_length=40)),
                        ('queue', models.CharField(default='celery', help_text='The queue of the workers that may do it.', max_length=20)),
                        ('parent', models.ForeignKey(blank=True, help_text='The job that this is a part of, and that goes on when all its parts have ended.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='judging.job')),
                        ('parameters', models.JSONField(default=dict)),
                        ('state', models.CharField(choices=[('queued', 'queued'), ('running', 'running'), ('done', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=9)),
                        ('done', models.PositiveIntegerField(default=0)),
                        ('total', models.PositiveIntegerField(default=0)),
                        ('message', models.CharField(blank=True, help_text='What it is doing.', max_length=300)),
                        ('error', models.TextField(blank=True)),
                        ('result', models.JSONField(blank=True, default=dict)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, help_text='Fences: a worker may only finish the attempt it claimed.')),
                        ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to=settings.AUTH_USER_MODEL)),
                        ('campaign', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='judging.campaign')),
                        ('dataset', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='jobs', to='judging.dataset')),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('rung_at', models.DateTimeField(blank=True, null=True)),
                        ('started_at', models.DateTimeField(blank=True, null=True)),
                        ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                        ('finished_at', models.DateTimeField(blank=True, null=True)),
                        ('cancel_requested_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'ordering': ['-created_at'],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('state', 'queued')), models.Q(('finished_at__isnull', True), ('heartbeat_at__isnull', False), ('started_at__isnull', False), ('state', 'running')), models.Q(('finished_at__isnull', False), ('state__in', ['done', 'cancelled'])), models.Q(('finished_at__isnull', False), ('state', 'failed'), models.Q(('error', ''), _negated=True)), _connector='OR'), name='job_state_fits_columns')],
                        'indexes': [models.Index(condition=models.Q(('state__in', ['queued', 'running'])), fields=['state', 'heartbeat_at'], name='job_unfinished')],
                    },
                ),
                migrations.CreateModel(
                    name='SystemChange',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='system_changes', to='judging.dataset')),
                        ('what', models.CharField(choices=[('renamed', 'renamed'), ('marked', 'marked'), ('merged', 'merged'), ('split', 'split into subset and system')], max_length=7)),
                        ('before', models.CharField(help_text='Its name or kind before.', max_length=200)),
                        ('after', models.CharField(help_text='Its name or kind since; of merged systems, the one that stays.', max_length=200)),
                        ('details', models.JSONField(blank=True, default=dict, help_text='What undoing needs, by keys of rows.')),
                        ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('made_at', models.DateTimeField()),
                        ('undone_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'ordering': ['dataset', '-id'],
                    },
                ),
                migrations.CreateModel(
                    name='AddedFile',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('dataset', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='added_files', to='judging.dataset')),
                        ('number', models.PositiveIntegerField(help_text='In the order in which files came; never given twice.')),
                        ('file', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='added_files', to='judging.storedfile')),
                        ('name', models.CharField(max_length=255)),
                        ('state', models.CharField(choices=[('waiting', 'waiting'), ('added', 'added'), ('taken_back', 'taken back')], default='waiting', max_length=10)),
                        ('plan', models.JSONField(blank=True, default=dict, help_text='Format, options and columns.')),
                        ('choices', models.JSONField(blank=True, default=dict, help_text='How its rows are matched and what is done then.')),
                        ('examined', models.JSONField(blank=True, default=dict, help_text='What a preview found: counts and examples.')),
                        ('brought', models.JSONField(blank=True, default=dict, help_text='How many rows of each kind it brought.')),
                        ('protocol', models.ForeignKey(blank=True, help_text='The protocol of its ratings.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.protocol')),
                        ('campaign', models.ForeignKey(blank=True, help_text='The campaign its ratings went into.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='added_files', to='judging.campaign')),
                        ('added_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('uploaded_at', models.DateTimeField(auto_now_add=True)),
                        ('added_at', models.DateTimeField(blank=True, null=True)),
                        ('keys_taken_at', models.DateTimeField(blank=True, help_text='When the ids behind its labels were handed out, which is done once.', null=True)),
                        ('taken_back_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('taken_back_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'ordering': ['dataset', 'number'],
                        'constraints': [models.UniqueConstraint(fields=('dataset', 'number'), name='added_file_number'), models.UniqueConstraint(condition=models.Q(('state', 'taken_back'), _negated=True), fields=('dataset', 'file'), name='added_file_once'), models.CheckConstraint(condition=models.Q(models.Q(('added_at__isnull', True), ('state', 'waiting'), ('taken_back_at__isnull', True)), models.Q(('added_at__isnull', False), ('state', 'added'), ('taken_back_at__isnull', True)), models.Q(('added_at__isnull', False), ('state', 'taken_back'), ('taken_back_at__isnull', False)), _connector='OR'), name='added_file_state_fits_columns')],
                    },
                ),
                migrations.CreateModel(
                    name='Metric',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('dataset', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='metrics', to='judging.dataset')),
                        ('name', models.CharField(max_length=100)),
                        ('kind', models.CharField(choices=[('imported', 'imported'), ('computed', 'computed here'), ('human_mean', 'mean human score, imported')], max_length=10)),
                        ('direction', models.CharField(choices=[('higher', 'higher is better'), ('lower', 'lower is better')], default='higher', max_length=6)),
                        ('scale', models.CharField(choices=[('fraction', '0 to 1'), ('percent', '0 to 100'), ('other', 'its own scale')], default='other', max_length=8)),
                        ('fingerprint', models.CharField(max_length=64)),
                        ('made', models.JSONField(default=dict, help_text='Id, version, parameters, preparation, libraries, or file and column.')),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'ordering': ['dataset', 'id'],
                        'constraints': [models.UniqueConstraint(fields=('dataset', 'fingerprint'), name='metric_fingerprint')],
                    },
                ),
                migrations.CreateModel(
                    name='Passage',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('dataset', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='passages', to='judging.dataset')),
                        ('digest', models.CharField(max_length=64)),
                        ('text', models.TextField()),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('dataset', 'digest'), name='passage_once'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='passage_has_text')],
                    },
                ),
                migrations.CreateModel(
                    name='Quarantine',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='quarantine', to='judging.dataset')),
                        ('row', models.PositiveIntegerField()),
                        ('column', models.CharField(blank=True, max_length=200)),
                        ('value', models.TextField(blank=True)),
                        ('reason', models.TextField()),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'ordering': ['dataset', 'row', 'id'],
                    },
                ),
                migrations.CreateModel(
                    name='Source',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('dataset', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='judging.dataset')),
                        ('passage', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='sources', to='judging.passage')),
                        ('key', models.CharField(max_length=200)),
                        ('position', models.PositiveIntegerField(help_text='Order in the file.')),
                        ('answer', models.TextField(blank=True)),
                        ('answer_start', models.PositiveIntegerField(blank=True, help_text='In code points of the passage.', null=True)),
                        ('sentence', models.TextField(blank=True)),
                        ('sentence_start', models.PositiveIntegerField(blank=True, null=True)),
                        ('target_type', models.CharField(blank=True, max_length=100)),
                        ('modality', models.CharField(blank=True, max_length=100)),
                        ('language', models.CharField(blank=True, help_text="A tag; blank if it is the dataset's.", max_length=35)),
                        ('repeat_of', models.ForeignKey(blank=True, db_index=False, help_text='The source whose questions were rated once more; see ADR 0013.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='repeats', to='judging.source')),
                        ('repeat', models.PositiveSmallIntegerField(db_default=1, default=1, help_text='1, or which rating of the same it is.')),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'ordering': ['dataset', 'position'],
                        'constraints': [models.UniqueConstraint(fields=('dataset', 'key'), name='source_key'), models.UniqueConstraint(fields=('dataset', 'position'), name='source_position'), models.UniqueConstraint(condition=models.Q(('repeat_of__isnull', False)), fields=('repeat_of', 'repeat'), name='source_repeat_once'), models.CheckConstraint(condition=models.Q(models.Q(('repeat', 1), ('repeat_of__isnull', True)), models.Q(('repeat__gte', 2), ('repeat_of__isnull', False)), _connector='OR'), name='source_repeat_of_one')],
                    },
                ),
                migrations.CreateModel(
                    name='FilledBlank',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('added_file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='filled_blanks', to='judging.addedfile')),
                        ('source', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='filled_blanks', to='judging.source')),
                        ('name', models.CharField(help_text='The column of the source.', max_length=30)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('source', 'name'), name='filled_blank_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Reference',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='references', to='judging.source')),
                        ('position', models.PositiveSmallIntegerField()),
                        ('text', models.TextField()),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'ordering': ['source', 'position'],
                        'constraints': [models.UniqueConstraint(fields=('source', 'position'), name='reference_position'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='reference_has_text')],
                    },
                ),
                migrations.CreateModel(
                    name='System',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('dataset', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='systems', to='judging.dataset')),
                        ('name', models.CharField(max_length=200)),
                        ('kind', models.CharField(choices=[('model', 'model'), ('human', 'human'), ('degradation', 'deliberate degradation')], default='model', max_length=12)),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'ordering': ['dataset', 'name'],
                        'constraints': [models.UniqueConstraint(fields=('dataset', 'name'), name='system_name')],
                    },
                ),
                migrations.CreateModel(
                    name='QuestionSet',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('source', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='question_sets', to='judging.source')),
                        ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='question_sets', to='judging.system')),
                        ('expected', models.PositiveSmallIntegerField(default=1)),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('source', 'system'), name='question_set_once'), models.CheckConstraint(condition=models.Q(('expected__gte', 1)), name='question_set_expects')],
                    },
                ),
                migrations.CreateModel(
                    name='Unit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('question_set', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='units', to='judging.questionset')),
                        ('position', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('question_set', 'position'), name='unit_once', nulls_distinct=False), models.CheckConstraint(condition=models.Q(('position__isnull', True), ('position__gte', 1), _connector='OR'), name='unit_position')],
                    },
                ),
                migrations.CreateModel(
                    name='LLMJudgment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('judge', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='judgments', to='judging.llmjudge')),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='llm_judgments', to='judging.unit')),
                        ('criterion', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.criterion')),
                        ('value', models.SmallIntegerField()),
                        ('point', models.ForeignObject(from_fields=['criterion', 'value'], on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.scalepoint', to_fields=['criterion', 'value'])),
                        ('repeat', models.PositiveSmallIntegerField(default=1)),
                        ('place', models.PositiveSmallIntegerField(blank=True, help_text='Where the question stood among those that were shown together; none where alone.', null=True)),
                        ('rationale', models.TextField(blank=True)),
                        ('raw', models.TextField(blank=True, help_text='The answer as it came.')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('judge', 'unit', 'criterion', 'repeat'), name='llm_judgment_once'), models.CheckConstraint(condition=models.Q(('repeat__gte', 1)), name='llm_judgment_repeat'), judging.base.models.constraints.CompositeForeignKey(fields=('criterion', 'value'), name='llm_judgment_value_on_scale', to='judging.ScalePoint', to_fields=('criterion', 'value'))],
                    },
                ),
                migrations.CreateModel(
                    name='Score',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('metric', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='judging.metric')),
                        ('unit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='judging.unit')),
                        ('system', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='judging.system')),
                        ('value', models.FloatField(blank=True, null=True)),
                        ('text', models.CharField(blank=True, help_text='An imported value with every digit of its file.', max_length=100)),
                        ('reason', models.CharField(blank=True, help_text='Why there is no value.', max_length=300)),
                        ('detail', models.JSONField(blank=True, help_text='What its metric told besides its value.', null=True)),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('unit__isnull', False)), fields=('metric', 'unit'), include=('value',), name='score_once_per_unit'), models.UniqueConstraint(condition=models.Q(('system__isnull', False)), fields=('metric', 'system'), name='score_once_per_system'), models.CheckConstraint(condition=models.Q(models.Q(('system__isnull', False), ('unit__isnull', True)), models.Q(('system__isnull', True), ('unit__isnull', False)), _connector='OR'), name='score_of_one_thing'), models.CheckConstraint(condition=models.Q(('value__isnull', False), models.Q(('reason', ''), _negated=True), _connector='OR'), name='score_or_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='SelectedUnit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='selected_units', to='judging.campaign')),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='selected_in', to='judging.unit')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'unit'), name='selected_unit_once')],
                    },
                ),
                migrations.CreateModel(
                    name='SettledValue',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='settled_values', to='judging.campaign')),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.unit')),
                        ('criterion', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.criterion')),
                        ('value', models.SmallIntegerField()),
                        ('reason', models.CharField(blank=True, max_length=500)),
                        ('settled_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('settled_at', models.DateTimeField()),
                        ('superseded_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'ordering': ['campaign', 'id'],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('superseded_at__isnull', True)), fields=('campaign', 'unit', 'criterion'), name='settled_value_once'), judging.base.models.constraints.CompositeForeignKey(fields=('criterion', 'value'), name='settled_value_on_scale', to='judging.ScalePoint', to_fields=('criterion', 'value'))],
                    },
                ),
                migrations.CreateModel(
                    name='TaskUnit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='task_units', to='judging.task')),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='task_units', to='judging.unit')),
                        ('position', models.PositiveSmallIntegerField()),
                    ],
                    options={
                        'ordering': ['task', 'position'],
                        'constraints': [models.UniqueConstraint(fields=('task', 'unit'), name='task_unit_once'), models.UniqueConstraint(fields=('task', 'position'), name='task_unit_position')],
                    },
                ),
                migrations.CreateModel(
                    name='Attribute',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('unit', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='attributes', to='judging.unit')),
                        ('name', models.CharField(max_length=100)),
                        ('value', models.TextField()),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('unit', 'name'), name='attribute_once')],
                    },
                ),
                migrations.CreateModel(
                    name='CheckItem',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='check_items', to='judging.campaign')),
                        ('kind', models.CharField(choices=[('gold', 'gold question'), ('repeat', 'hidden repeat'), ('degraded', 'degraded copy')], max_length=8)),
                        ('unit', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='check_item', to='judging.unit')),
                        ('original', models.ForeignKey(help_text='The unit of the material it comes from.', on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.unit')),
                        ('method', models.CharField(blank=True, help_text='How a degraded copy was made.', max_length=60)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('retired_at', models.DateTimeField(blank=True, help_text='From when on nobody meets it any more.', null=True)),
                    ],
                    options={
                        'ordering': ['campaign', 'id'],
                        'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['gold', 'degraded'])), name='check_item_kind')],
                    },
                ),
                migrations.CreateModel(
                    name='DatasetShare',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shares', to='judging.dataset')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='dataset_shares', to=settings.AUTH_USER_MODEL)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('dataset', 'user'), name='dataset_share_once')],
                    },
                ),
                migrations.CreateModel(
                    name='AcceptedValue',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='accepted', to='judging.checkitem')),
                        ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.criterion')),
                        ('value', models.SmallIntegerField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('item', 'criterion', 'value'), name='accepted_value_once'), judging.base.models.constraints.CompositeForeignKey(fields=('criterion', 'value'), name='accepted_value_on_scale', to='judging.ScalePoint', to_fields=('criterion', 'value'))],
                    },
                ),
                migrations.CreateModel(
                    name='CrowdPlatform',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='platform', to='judging.campaign')),
                        ('key', models.CharField(default=judging.crowd.models.crowd.new_key, editable=False, max_length=32, unique=True)),
                        ('kind', models.CharField(choices=[('prolific', 'Prolific'), ('connect', 'Connect'), ('sona', 'SONA'), ('generic', 'another platform')], default='prolific', max_length=10)),
                        ('person_param', models.CharField(max_length=40)),
                        ('study_param', models.CharField(blank=True, max_length=40)),
                        ('session_param', models.CharField(blank=True, max_length=40)),
                        ('return_template', models.CharField(blank=True, help_text='With {code} in it.', max_length=300)),
                        ('codes', models.JSONField(default=dict, help_text='The completion code of each end.')),
                        ('minutes', models.PositiveIntegerField(default=90, help_text='How long a share of the work is kept for whoever came.')),
                        ('signed', models.BooleanField(default=False, help_text='Only links that the platform signed count.')),
                        ('studies', models.JSONField(blank=True, default=list, help_text="The platform's ids of the studies that lead here; the first signed link fills it.")),
                        ('keys_url', models.CharField(blank=True, max_length=300)),
                        ('audience', models.CharField(blank=True, max_length=200)),
                        ('keys', models.JSONField(blank=True, editable=False, help_text='The public keys last read.', null=True)),
                        ('keys_at', models.DateTimeField(blank=True, editable=False, null=True)),
                        ('webhook_secret', models.TextField(blank=True, editable=False, help_text='Encrypted.')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['prolific', 'connect', 'sona', 'generic'])), name='crowd_platform_kind'), models.CheckConstraint(condition=models.Q(('person_param', ''), _negated=True), name='crowd_platform_names_person'), models.CheckConstraint(condition=models.Q(('minutes__gte', 5)), name='crowd_platform_minutes'), models.CheckConstraint(condition=models.Q(('signed', False), models.Q(models.Q(('keys_url', ''), _negated=True), models.Q(('audience', ''), _negated=True)), _connector='OR'), name='crowd_platform_signed_has_keys')],
                    },
                ),
                migrations.CreateModel(
                    name='Deviation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deviations', to='judging.campaign')),
                        ('what', models.CharField(max_length=100)),
                        ('before', models.TextField(blank=True)),
                        ('after', models.TextField(blank=True)),
                        ('reason', models.TextField(blank=True)),
                        ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('made_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['campaign', 'made_at', 'id'],
                    },
                ),
                migrations.CreateModel(
                    name='DiscussionNote',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('round', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='notes', to='judging.round')),
                        ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.criterion')),
                        ('unit', models.ForeignKey(blank=True, help_text='None where the note is about the criterion.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.unit')),
                        ('text', models.TextField()),
                        ('written_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('written_at', models.DateTimeField()),
                    ],
                    options={
                        'ordering': ['round', 'criterion__position', 'unit'],
                        'constraints': [models.UniqueConstraint(fields=('round', 'criterion', 'unit'), name='discussion_note_once', nulls_distinct=False), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='discussion_note_has_text')],
                    },
                ),
                migrations.CreateModel(
                    name='Enrollment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='enrollments', to='judging.campaign')),
                        ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='enrollments', to=settings.AUTH_USER_MODEL)),
                        ('invitation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='enrollments', to='judging.invitation')),
                        ('label', models.CharField(help_text="What exports and reports call this annotator: A01, or the rater's name in an imported file.", max_length=100)),
                        ('pseudonym', models.CharField(blank=True, help_text="Keyed hash of an outside person's identity.", max_length=64)),
                        ('visitor', models.CharField(blank=True, editable=False, help_text='A keyed hash of where they joined from, for one day.', max_length=64)),
                        ('twin_of', models.ForeignKey(blank=True, editable=False, help_text='Who joined before from the same place on the same day.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='twins', to='judging.enrollment')),
                        ('draw_id', models.UUIDField(default=uuid.uuid4, editable=False, help_text="What this annotator's orders are drawn for.", unique=True)),
                        ('seat', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('cursor', models.PositiveIntegerField(default=0, help_text='No open place before this position is for this annotator, unless it was opened again.')),
                        ('cursor_round', models.ForeignKey(blank=True, db_index=False, editable=False, help_text='The round the cursor is about; in any other a search begins at the start.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='judging.round')),
                        ('consented_at', models.DateTimeField(blank=True, null=True)),
                        ('consent_digest', models.CharField(blank=True, max_length=64)),
                        ('trained_at', models.DateTimeField(blank=True, null=True)),
                        ('qualified_at', models.DateTimeField(blank=True, null=True)),
                        ('stopped_at', models.DateTimeField(blank=True, editable=False, help_text='From then on they get no more tasks; what they did counts.', null=True)),
                        ('at_work_until', models.DateTimeField(blank=True, editable=False, help_text='Up to when their time at work was counted, for whichever task.', null=True)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('campaign', 'user'), name='enrollment_once_per_user'), models.UniqueConstraint(fields=('campaign', 'label'), name='enrollment_label'), models.UniqueConstraint(condition=models.Q(('pseudonym', ''), _negated=True), fields=('campaign', 'pseudonym'), name='enrollment_pseudonym'), models.UniqueConstraint(fields=('campaign', 'seat'), name='enrollment_seat'), models.CheckConstraint(condition=models.Q(('consented_at__isnull', True), models.Q(('consent_digest', ''), _negated=True), _connector='OR'), name='enrollment_consent_names_text')],
                    },
                ),
                migrations.CreateModel(
                    name='Exclusion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('enrollment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='judging.enrollment')),
                        ('reason', models.TextField()),
                        ('excluded_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('excluded_at', models.DateTimeField()),
                        ('lifted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('lifted_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('enrollment',), name='exclusion_one_standing'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='exclusion_has_reason'), models.CheckConstraint(condition=models.Q(models.Q(('lifted_at__isnull', True), ('lifted_by__isnull', True)), models.Q(('lifted_at__isnull', False), ('lifted_by__isnull', False)), _connector='OR'), name='exclusion_lifted_by_someone')],
                    },
                ),
                migrations.CreateModel(
                    name='ExitAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='judging.exitquestion')),
                        ('enrollment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='exit_answers', to='judging.enrollment')),
                        ('text', models.TextField()),
                        ('answered_at', models.DateTimeField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('enrollment', 'question'), name='exit_answer_once'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='exit_answer_not_empty')],
                    },
                ),
                migrations.CreateModel(
                    name='Participation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('platform', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='judging.crowdplatform')),
                        ('enrollment', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='participation', to='judging.enrollment')),
                        ('round', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.round')),
                        ('person', models.CharField(editable=False, max_length=64)),
                        ('session', models.CharField(blank=True, editable=False, help_text="The platform's submission they are at, hashed.", max_length=64)),
                        ('share', models.PositiveIntegerField(default=0, help_text='How many tasks are theirs in all.')),
                        ('came_at', models.DateTimeField()),
                        ('reserved_until', models.DateTimeField(blank=True, null=True)),
                        ('left', models.CharField(blank=True, choices=[('returned', 'returned on the platform'), ('timed_out', 'timed out on the platform'), ('rejected', 'rejected on the platform'), ('expired', 'too long without an end')], max_length=9)),
                        ('left_at', models.DateTimeField(blank=True, null=True)),
                        ('end', models.CharField(blank=True, choices=[('completed', 'completed'), ('no_consent', 'no consent'), ('screened_out', 'screened out'), ('failed_checks', 'failed checks'), ('quota_full', 'quota full'), ('timed_out', 'timed out')], max_length=13)),
                        ('ended_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('end', 'quota_full'), ('enrollment__isnull', True), _negated=True), fields=('platform', 'person'), name='participation_once'), models.UniqueConstraint(condition=models.Q(('end', 'quota_full'), ('enrollment__isnull', True)), fields=('platform', 'person', 'session'), name='participation_turned_away_once'), models.CheckConstraint(condition=models.Q(models.Q(('end', ''), ('ended_at__isnull', True)), models.Q(('end__in', ['completed', 'no_consent', 'screened_out', 'failed_checks', 'quota_full', 'timed_out']), ('ended_at__isnull', False)), _connector='OR'), name='participation_end'), models.CheckConstraint(condition=models.Q(models.Q(('left', ''), ('left_at__isnull', True)), models.Q(('left__in', ['returned', 'timed_out', 'rejected', 'expired']), ('left_at__isnull', False)), _connector='OR'), name='participation_left'), models.CheckConstraint(condition=models.Q(('reserved_until__isnull', True), models.Q(('end', ''), ('enrollment__isnull', False), ('left', ''), ('round__isnull', False)), _connector='OR'), name='participation_reserves_for_somebody')],
                        'indexes': [models.Index(condition=models.Q(('reserved_until__isnull', False)), fields=['reserved_until'], name='participation_reserved'), models.Index(fields=['platform', 'session'], name='participation_session')],
                    },
                ),
                migrations.CreateModel(
                    name='QualificationTry',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('enrollment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tries', to='judging.enrollment')),
                        ('number', models.PositiveSmallIntegerField()),
                        ('made_at', models.DateTimeField()),
                        ('right', models.PositiveSmallIntegerField(default=0)),
                        ('asked', models.PositiveSmallIntegerField(default=0)),
                        ('consistent', models.BooleanField(default=True, help_text='Whether what was asked again got the same answers.')),
                        ('passed', models.BooleanField(default=False)),
                    ],
                    options={
                        'ordering': ['enrollment', 'number'],
                        'constraints': [models.UniqueConstraint(fields=('enrollment', 'number'), name='qualification_try_number')],
                    },
                ),
                migrations.CreateModel(
                    name='SystemAuthor',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('enrollment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='authorships', to='judging.enrollment')),
                        ('system', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='authors', to='judging.system')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('enrollment', 'system'), name='system_author_once')],
                    },
                ),
                migrations.CreateModel(
                    name='TrainedExercise',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('enrollment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='trained', to='judging.enrollment')),
                        ('exercise', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.exercise')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('enrollment', 'exercise'), name='trained_exercise_once')],
                    },
                ),
                migrations.CreateModel(
                    name='TryAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('attempt', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='judging.qualificationtry')),
                        ('exercise', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.exercise')),
                        ('criterion', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.criterion')),
                        ('value', models.SmallIntegerField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('attempt', 'exercise', 'criterion'), name='try_answer_once'), judging.base.models.constraints.CompositeForeignKey(fields=('criterion', 'value'), name='try_answer_on_scale', to='judging.ScalePoint', to_fields=('criterion', 'value'))],
                    },
                ),
                migrations.CreateModel(
                    name='CheckTask',
                    fields=[
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='check_task', serialize=False, to='judging.task')),
                        ('enrollment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='check_tasks', to='judging.enrollment')),
                        ('kind', models.CharField(choices=[('gold', 'gold question'), ('repeat', 'hidden repeat'), ('degraded', 'degraded copy')], max_length=8)),
                        ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='met', to='judging.checkitem')),
                        ('of_task', models.ForeignKey(blank=True, help_text='The task of the study that comes again, whole or with one question made worse.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.task')),
                        ('after', models.PositiveIntegerField()),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('enrollment', 'after'), name='check_task_once_a_turn'), models.UniqueConstraint(condition=models.Q(('item__isnull', False)), fields=('enrollment', 'item'), name='check_task_item_once'), models.UniqueConstraint(condition=models.Q(('kind', 'repeat')), fields=('enrollment', 'of_task'), name='check_task_repeat_once'), models.CheckConstraint(condition=models.Q(models.Q(('item__isnull', True), ('kind', 'repeat'), ('of_task__isnull', False)), models.Q(('item__isnull', False), ('kind', 'gold')), models.Q(('item__isnull', False), ('kind', 'degraded'), ('of_task__isnull', False)), _connector='OR'), name='check_task_fits_kind')],
                    },
                ),
                migrations.CreateModel(
                    name='Assignment',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('round', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='judging.round')),
                        ('task', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='judging.task')),
                        ('place', models.PositiveSmallIntegerField()),
                        ('position', models.PositiveIntegerField(help_text="Where the place stands in the campaign's queue.")),
                        ('seat', models.PositiveSmallIntegerField(blank=True, help_text="The enrollment's seat this place is kept for.", null=True)),
                        ('enrollment', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='judging.enrollment')),
                        ('state', models.CharField(choices=[('open', 'open'), ('held', 'held'), ('submitted', 'submitted'), ('released', 'released'), ('extra', 'extra')], default='open', max_length=9)),
                        ('reopened', models.BooleanField(db_default=False, default=False, help_text="Whether an open place was somebody's before: it may lie behind an annotator's cursor.")),
                        ('stage', models.PositiveSmallIntegerField(default=0, help_text='How many stages are frozen.')),
                        ('submit_token', models.UUIDField(default=uuid.uuid4)),
                        ('held_at', models.DateTimeField(blank=True, null=True)),
                        ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                        ('last_seen_at', models.DateTimeField(blank=True, null=True)),
                        ('active_seconds', models.FloatField(default=0, help_text='Time at work until first submitted: gaps between saves, each capped.')),
                        ('language', models.CharField(blank=True, db_default='', default='', help_text='The language of the instructions.', max_length=10)),
                        ('view', models.CharField(blank=True, choices=[('focus', 'one question at a time'), ('list', 'list of all questions')], db_default='', default='', max_length=5)),
                        ('device', models.CharField(blank=True, choices=[('phone', 'phone'), ('tablet', 'tablet'), ('desktop', 'desktop')], db_default='', default='', max_length=7)),
                        ('input', models.CharField(blank=True, choices=[('touch', 'touch'), ('mouse', 'mouse'), ('keyboard', 'keyboard')], db_default='', default='', help_text='What gave most of the answers.', max_length=8)),
                        ('keywords', models.CharField(blank=True, choices=[('highlighted', 'highlighted'), ('plain', 'not highlighted')], db_default='', default='', help_text='Whether the words of the question in view were highlighted in its passage.', max_length=11)),
                        ('total_shown', models.PositiveIntegerField(blank=True, help_text='How many tasks in all its annotator was told of on its page.', null=True)),
                        ('submitted_at', models.DateTimeField(blank=True, null=True)),
                        ('released_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['open', 'held', 'submitted'])), fields=('task', 'place'), name='assignment_place_once'), models.UniqueConstraint(fields=('enrollment', 'task'), name='assignment_once_per_enrollment'), models.UniqueConstraint(condition=models.Q(('state', 'held')), fields=('enrollment', 'round'), name='assignment_one_held'), models.CheckConstraint(condition=models.Q(models.Q(('enrollment__isnull', True), ('held_at__isnull', True), ('lease_expires_at__isnull', True), ('released_at__isnull', True), ('state', 'open'), ('submitted_at__isnull', True)), models.Q(('enrollment__isnull', False), ('held_at__isnull', False), ('lease_expires_at__isnull', False), ('state', 'held'), ('submitted_at__isnull', True)), models.Q(('enrollment__isnull', False), ('lease_expires_at__isnull', True), ('state', 'submitted'), ('submitted_at__isnull', False)), models.Q(('enrollment__isnull', False), ('lease_expires_at__isnull', True), ('released_at__isnull', False), ('state', 'released'), ('submitted_at__isnull', True)), models.Q(('enrollment__isnull', False), ('lease_expires_at__isnull', True), ('state', 'extra'), ('submitted_at__isnull', False)), _connector='OR'), name='assignment_state_fits_columns')],
                        'indexes': [models.Index(condition=models.Q(('state', 'open')), fields=['round', 'position'], name='assignment_open_places'), models.Index(condition=models.Q(('reopened', True), ('state', 'open')), fields=['round', 'position'], name='assignment_reopened_places'), models.Index(condition=models.Q(('seat__isnull', False), ('state', 'open')), fields=['round', 'seat'], name='assignment_reserved_places'), models.Index(condition=models.Q(('state', 'held')), fields=['lease_expires_at'], name='assignment_leases'), models.Index(fields=['round', 'state'], name='assignment_counts'), models.Index(condition=models.Q(('submitted_at__isnull', False)), fields=['enrollment', 'round', 'submitted_at'], name='assignment_done_by'), models.Index(condition=models.Q(('last_seen_at__gt', models.F('submitted_at')), ('submitted_at__isnull', False)), fields=['enrollment'], name='assignment_seen_again'), models.Index(condition=models.Q(('state', 'released')), fields=['enrollment', 'round'], name='assignment_left_by')],
                    },
                ),
                migrations.CreateModel(
                    name='Judgment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='judging.assignment')),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='judging.unit')),
                        ('criterion', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='judging.criterion')),
                        ('value', models.SmallIntegerField()),
                        ('point', models.ForeignObject(from_fields=['criterion', 'value'], on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.scalepoint', to_fields=['criterion', 'value'])),
                        ('origin', models.CharField(choices=[('judged', 'judged'), ('rule', 'forced by a rule on the page'), ('imported', 'imported')], default='judged', max_length=8)),
                        ('cause', models.CharField(blank=True, help_text='The rule that forced the value.', max_length=60)),
                        ('revision', models.PositiveSmallIntegerField(default=1)),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('superseded_at', models.DateTimeField(blank=True, null=True)),
                        ('first_shown_at', models.DateTimeField(blank=True, help_text="By the clock of the annotator's device.", null=True)),
                        ('answered_at', models.DateTimeField(blank=True, help_text="By the clock of the annotator's device.", null=True)),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('superseded_at__isnull', True)), fields=('assignment', 'unit', 'criterion'), name='judgment_once'), models.UniqueConstraint(fields=('assignment', 'unit', 'criterion', 'revision'), name='judgment_revision'), models.CheckConstraint(condition=models.Q(('origin__in', ['judged', 'rule', 'imported'])), name='judgment_origin'), models.CheckConstraint(condition=models.Q(('origin', 'rule'), ('cause', ''), _connector='XOR'), name='judgment_rule_has_cause'), judging.base.models.constraints.CompositeForeignKey(fields=('criterion', 'value'), name='judgment_value_on_scale', to='judging.ScalePoint', to_fields=('criterion', 'value'))],
                    },
                ),
                migrations.CreateModel(
                    name='JudgmentAttribute',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('judgment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='attributes', to='judging.judgment')),
                        ('name', models.CharField(max_length=100)),
                        ('value', models.TextField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('judgment', 'name'), name='judgment_attribute_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Marking',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='markings', to='judging.assignment')),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.unit')),
                        ('nothing', models.BooleanField(help_text='Nothing in the passage answers the question.')),
                        ('sequence', models.PositiveBigIntegerField()),
                        ('saved_at', models.DateTimeField(auto_now=True)),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('assignment', 'unit'), name='marking_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Note',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='notes', to='judging.assignment')),
                        ('unit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.unit')),
                        ('text', models.TextField(blank=True)),
                        ('sequence', models.PositiveBigIntegerField()),
                        ('saved_at', models.DateTimeField(auto_now=True)),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('assignment', 'unit'), name='note_once', nulls_distinct=False)],
                    },
                ),
                migrations.CreateModel(
                    name='SpanMark',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='span_marks', to='judging.assignment')),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='span_marks', to='judging.unit')),
                        ('start', models.PositiveIntegerField()),
                        ('end', models.PositiveIntegerField()),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('assignment', 'unit', 'start', 'end'), name='span_mark_once'), models.CheckConstraint(condition=models.Q(('end__gt', models.F('start'))), name='span_mark_not_empty')],
                    },
                ),
                migrations.CreateModel(
                    name='CrowdEvent',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('platform', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='judging.crowdplatform')),
                        ('participation', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='judging.participation')),
                        ('event', models.CharField(editable=False, help_text="Hash of the event's id.", max_length=64)),
                        ('signature', models.CharField(editable=False, help_text='Hash of its signature.', max_length=64)),
                        ('session', models.CharField(blank=True, editable=False, max_length=64)),
                        ('kind', models.CharField(max_length=60)),
                        ('status', models.CharField(blank=True, max_length=30)),
                        ('freed', models.BooleanField(default=False, help_text='Whether it freed what was reserved.')),
                        ('sent_at', models.DateTimeField()),
                        ('received_at', models.DateTimeField()),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('platform', 'event'), name='crowd_event_once'), models.UniqueConstraint(fields=('platform', 'signature'), name='crowd_event_sent_once')],
                        'indexes': [models.Index(fields=['platform', 'session'], name='crowd_event_session')],
                    },
                ),
                migrations.CreateModel(
                    name='Draft',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('assignment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='judging.assignment')),
                        ('unit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.unit')),
                        ('criterion', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.criterion')),
                        ('value', models.SmallIntegerField(blank=True, null=True)),
                        ('point', models.ForeignObject(from_fields=['criterion', 'value'], null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.scalepoint', to_fields=['criterion', 'value'])),
                        ('sequence', models.PositiveBigIntegerField()),
                        ('saved_at', models.DateTimeField(auto_now=True)),
                        ('first_shown_at', models.DateTimeField(blank=True, help_text="By the clock of the annotator's device.", null=True)),
                        ('answered_at', models.DateTimeField(blank=True, help_text="By the clock of the annotator's device.", null=True)),
                        ('input', models.CharField(blank=True, choices=[('touch', 'touch'), ('mouse', 'mouse'), ('keyboard', 'keyboard')], db_default='', default='', max_length=8)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('assignment', 'unit', 'criterion'), name='draft_once'), judging.base.models.constraints.CompositeForeignKey(fields=('criterion', 'value'), name='draft_value_on_scale', to='judging.ScalePoint', to_fields=('criterion', 'value'))],
                    },
                ),
                migrations.CreateModel(
                    name='BarredTask',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('enrollment', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='barred_tasks', to='judging.enrollment')),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='barred_for', to='judging.task')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('enrollment', 'task'), name='barred_task_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Erasure',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='erasures', to='judging.campaign')),
                        ('label', models.CharField(max_length=100)),
                        ('counts', models.JSONField(default=dict)),
                        ('erased_by', models.ForeignKey(blank=True, help_text='Nobody where the annotator withdrew.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('erased_at', models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name='JudgeKey',
                    fields=[
                        ('job', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='judge_key', serialize=False, to='judging.job')),
                        ('sealed', models.TextField()),
                    ],
                ),
                migrations.CreateModel(
                    name='Question',
                    fields=[
                        ('unit', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='question', serialize=False, to='judging.unit')),
                        ('text', models.TextField()),
                        ('key', models.CharField(blank=True, max_length=200)),
                        ('question_type', models.CharField(blank=True, help_text='As the system declared it.', max_length=100)),
                        ('submitted_answer', models.TextField(blank=True, help_text='The answer the system submitted with its question.')),
                        ('added_file', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='judging.addedfile')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='question_has_text')],
                    },
                ),
            ]
        ),
        migrations.AddField(
            model_name='dataset',
            name='checks_of',
            field=models.ForeignKey(blank=True, editable=False, help_text='The campaign whose checks it holds; such a dataset is on no list.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='judging.campaign'),
        ),
    ]
