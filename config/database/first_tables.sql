CREATE FUNCTION public.judging_analyze(tables regclass[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE each regclass;
BEGIN
    FOREACH each IN ARRAY tables LOOP
        EXECUTE format('ANALYZE %s', each);
    END LOOP;
END $$;

CREATE FUNCTION public.judging_belongs_for_good() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'what judgments belong to does not change' USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION public.judging_erase_judgments(wanted bigint, by_whom bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE erased bigint;
BEGIN
    PERFORM set_config('quaestor.erase', 'on', true);
    DELETE FROM judging_judgmentattribute WHERE judgment_id IN (
        SELECT j.id FROM judging_judgment j JOIN judging_assignment a ON a.id = j.assignment_id
        WHERE a.enrollment_id = wanted
    );
    DELETE FROM judging_judgment USING judging_assignment a WHERE a.id = assignment_id AND a.enrollment_id = wanted;
    GET DIAGNOSTICS erased = ROW_COUNT;
    PERFORM set_config('quaestor.erase', 'off', true);
    INSERT INTO judging_event (who, act, campaign, about, before, after)
    SELECT by_whom, 'annotator.erased', c.uuid, left(e.label, 120), erased || ' judgments', ''
    FROM judging_enrollment e JOIN judging_campaign c ON c.id = e.campaign_id WHERE e.id = wanted;
    RETURN erased;
END $$;

CREATE FUNCTION public.judging_event_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'the history is only added to' USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION public.judging_event_seal() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    last_position bigint;
    last_digest text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('judging_event'));
    SELECT position, digest INTO last_position, last_digest FROM judging_eventseal ORDER BY position DESC LIMIT 1;
    last_digest := coalesce(last_digest, repeat('0', 64));
    INSERT INTO judging_eventseal (event_id, position, previous, digest) VALUES (
        NEW.id, coalesce(last_position, 0) + 1, last_digest,
        encode(sha256(convert_to(json_build_array(
            last_digest, NEW.id, to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), NEW.who, NEW.act,
            NEW.campaign, NEW.about, NEW.before, NEW.after
        )::text, 'UTF8')), 'hex')
    );
    RETURN NULL;
END $$;

CREATE FUNCTION public.judging_event_time() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    NEW.at := clock_timestamp();
    RETURN NEW;
END $$;

CREATE FUNCTION public.judging_forget_judge_key() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM judging_judgekey WHERE job_id = NEW.id;
    RETURN NULL;
END $$;

CREATE FUNCTION public.judging_judgment_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF current_setting('quaestor.erase', true) = 'on' THEN
            RETURN OLD;
        END IF;

        IF OLD.origin = 'imported' AND OLD.added_file_id IS NOT NULL
           AND current_setting('quaestor.take_back', true) = OLD.added_file_id::text THEN
            RETURN OLD;
        END IF;

        RAISE EXCEPTION 'judgments are never deleted' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.superseded_at IS NULL AND NEW.superseded_at IS NOT NULL
       AND (NEW.id, NEW.assignment_id, NEW.unit_id, NEW.criterion_id, NEW.value, NEW.origin, NEW.cause, NEW.revision, NEW.created_at)
         = (OLD.id, OLD.assignment_id, OLD.unit_id, OLD.criterion_id, OLD.value, OLD.origin, OLD.cause, OLD.revision, OLD.created_at)
       AND NEW.added_file_id IS NOT DISTINCT FROM OLD.added_file_id THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'judgments are never changed, only superseded' USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION public.judging_nobody_in_dry_run() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF NEW.user_id IS NOT NULL AND EXISTS (SELECT FROM judging_dryrun WHERE campaign_id = NEW.campaign_id) THEN
        RAISE EXCEPTION 'no person judges in a dry run' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION public.judging_origin_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'who judges in a campaign does not change' USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION public.judging_remove_dry_run_judgments(wanted bigint, by_whom bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE removed bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM judging_dryrun d JOIN judging_campaign c ON c.id = d.campaign_id
                   WHERE c.id = wanted AND c.origin = 'simulated') THEN
        RAISE EXCEPTION 'only judgments of a dry run are removed' USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM set_config('quaestor.erase', 'on', true);
    DELETE FROM judging_judgment USING judging_assignment a JOIN judging_round r ON r.id = a.round_id
    WHERE a.id = assignment_id AND r.campaign_id = wanted;
    GET DIAGNOSTICS removed = ROW_COUNT;
    PERFORM set_config('quaestor.erase', 'off', true);
    INSERT INTO judging_event (who, act, campaign, about, before, after)
    SELECT by_whom, 'dry_run.removed', coalesce(draft.uuid, c.uuid), 'dry run ' || d.number,
        removed || ' judgments', ''
    FROM judging_dryrun d JOIN judging_campaign c ON c.id = d.campaign_id
    LEFT JOIN judging_campaign draft ON draft.id = d.draft_id WHERE c.id = wanted;
    RETURN removed;
END $$;

CREATE FUNCTION public.judging_rubric_immutable() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'rubrics never change; make a new version' USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION public.judging_take_back_judgments(file bigint, by_whom bigint) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE removed bigint;
BEGIN
    PERFORM set_config('quaestor.take_back', file::text, true);
    DELETE FROM judging_judgmentattribute WHERE judgment_id IN (
        SELECT id FROM judging_judgment WHERE added_file_id = file AND origin = 'imported'
    );
    DELETE FROM judging_judgment WHERE added_file_id = file AND origin = 'imported';
    GET DIAGNOSTICS removed = ROW_COUNT;
    INSERT INTO judging_event (who, act, campaign, about, before, after)
    SELECT by_whom, 'file.taken_back', c.uuid, 'collection ' || f.collection_id || ', file ' || f.number,
        removed || ' judgments', ''
    FROM judging_addedfile f LEFT JOIN judging_campaign c ON c.id = f.campaign_id WHERE f.id = file;
    RETURN removed;
END $$;

CREATE TABLE public.analysis_keptexample (
    id bigint NOT NULL,
    note character varying(500) NOT NULL,
    kept_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    kept_by_id bigint NOT NULL,
    unit_id bigint NOT NULL
);

ALTER TABLE public.analysis_keptexample ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.analysis_keptexample_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.analysis_reportpage (
    id bigint NOT NULL,
    language character varying(20) NOT NULL,
    made_with character varying(64) NOT NULL,
    parts jsonb NOT NULL,
    run_id bigint NOT NULL
);

ALTER TABLE public.analysis_reportpage ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.analysis_reportpage_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.analysis_result (
    id bigint NOT NULL,
    key character varying(60) NOT NULL,
    document jsonb NOT NULL,
    media_type character varying(60) NOT NULL,
    file_id bigint,
    run_id bigint NOT NULL
);

ALTER TABLE public.analysis_result ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.analysis_result_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.analysis_run (
    id bigint NOT NULL,
    number integer NOT NULL,
    seed integer NOT NULL,
    parameters jsonb NOT NULL,
    versions jsonb NOT NULL,
    input_sha256 character varying(64) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    job_id uuid NOT NULL,
    read_state jsonb NOT NULL,
    CONSTRAINT analysis_run_number_check CHECK ((number >= 0)),
    CONSTRAINT analysis_run_seed_check CHECK ((seed >= 0))
);

ALTER TABLE public.analysis_run ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.analysis_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);

ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);

ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);

ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);

ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);

ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);

CREATE TABLE public.judging_acceptedvalue (
    id bigint NOT NULL,
    value smallint NOT NULL,
    criterion_id bigint NOT NULL,
    item_id bigint NOT NULL
);

ALTER TABLE public.judging_acceptedvalue ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_acceptedvalue_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_accesskey (
    id bigint NOT NULL,
    digest character varying(64) NOT NULL,
    scope character varying(8) NOT NULL,
    version integer NOT NULL,
    made_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    user_id bigint NOT NULL,
    CONSTRAINT judging_accesskey_version_check CHECK ((version >= 0))
);

ALTER TABLE public.judging_accesskey ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_accesskey_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_addedfile (
    id bigint NOT NULL,
    number integer NOT NULL,
    name character varying(255) NOT NULL,
    state character varying(10) NOT NULL,
    plan jsonb NOT NULL,
    choices jsonb NOT NULL,
    examined jsonb NOT NULL,
    brought jsonb NOT NULL,
    uploaded_at timestamp with time zone NOT NULL,
    added_at timestamp with time zone,
    taken_back_at timestamp with time zone,
    added_by_id bigint NOT NULL,
    campaign_id bigint,
    collection_id bigint NOT NULL,
    file_id bigint NOT NULL,
    rubric_id bigint,
    taken_back_by_id bigint,
    keys_taken_at timestamp with time zone,
    CONSTRAINT added_file_state_fits_columns CHECK ((((added_at IS NULL) AND ((state)::text = 'waiting'::text) AND (taken_back_at IS NULL)) OR ((added_at IS NOT NULL) AND ((state)::text = 'added'::text) AND (taken_back_at IS NULL)) OR ((added_at IS NOT NULL) AND ((state)::text = 'taken_back'::text) AND (taken_back_at IS NOT NULL)))),
    CONSTRAINT judging_addedfile_number_check CHECK ((number >= 0))
);

ALTER TABLE public.judging_addedfile ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_addedfile_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_adjudication (
    campaign_id bigint NOT NULL,
    threshold smallint NOT NULL,
    named_at timestamp with time zone NOT NULL,
    adjudicator_id bigint NOT NULL,
    CONSTRAINT judging_adjudication_threshold_check CHECK ((threshold >= 0))
);

CREATE TABLE public.judging_analysedagreement (
    campaign_id bigint NOT NULL,
    criteria jsonb NOT NULL,
    run integer NOT NULL,
    found_at timestamp with time zone NOT NULL,
    CONSTRAINT judging_analysedagreement_run_check CHECK ((run >= 0))
);

CREATE TABLE public.judging_assignment (
    id uuid NOT NULL,
    place smallint NOT NULL,
    "position" integer NOT NULL,
    seat smallint,
    state character varying(9) NOT NULL,
    stage smallint NOT NULL,
    submit_token uuid NOT NULL,
    held_at timestamp with time zone,
    lease_expires_at timestamp with time zone,
    last_seen_at timestamp with time zone,
    active_seconds double precision NOT NULL,
    submitted_at timestamp with time zone,
    released_at timestamp with time zone,
    enrollment_id bigint,
    round_id bigint NOT NULL,
    task_id bigint NOT NULL,
    reopened boolean DEFAULT false NOT NULL,
    device character varying(7) DEFAULT ''::character varying NOT NULL,
    input character varying(8) DEFAULT ''::character varying NOT NULL,
    language character varying(10) DEFAULT ''::character varying NOT NULL,
    total_shown integer,
    view character varying(5) DEFAULT ''::character varying NOT NULL,
    keywords character varying(11) DEFAULT ''::character varying NOT NULL,
    CONSTRAINT assignment_state_fits_columns CHECK ((((enrollment_id IS NULL) AND (held_at IS NULL) AND (lease_expires_at IS NULL) AND (released_at IS NULL) AND ((state)::text = 'open'::text) AND (submitted_at IS NULL)) OR ((enrollment_id IS NOT NULL) AND (held_at IS NOT NULL) AND (lease_expires_at IS NOT NULL) AND ((state)::text = 'held'::text) AND (submitted_at IS NULL)) OR ((enrollment_id IS NOT NULL) AND (lease_expires_at IS NULL) AND ((state)::text = 'submitted'::text) AND (submitted_at IS NOT NULL)) OR ((enrollment_id IS NOT NULL) AND (lease_expires_at IS NULL) AND (released_at IS NOT NULL) AND ((state)::text = 'released'::text) AND (submitted_at IS NULL)) OR ((enrollment_id IS NOT NULL) AND (lease_expires_at IS NULL) AND ((state)::text = 'extra'::text) AND (submitted_at IS NOT NULL)))),
    CONSTRAINT judging_assignment_place_check CHECK ((place >= 0)),
    CONSTRAINT judging_assignment_position_check CHECK (("position" >= 0)),
    CONSTRAINT judging_assignment_seat_check CHECK ((seat >= 0)),
    CONSTRAINT judging_assignment_stage_check CHECK ((stage >= 0)),
    CONSTRAINT judging_assignment_total_shown_check CHECK ((total_shown >= 0))
);

CREATE TABLE public.judging_attribute (
    id bigint NOT NULL,
    name character varying(100) NOT NULL,
    value text NOT NULL,
    unit_id bigint NOT NULL,
    added_file_id bigint
);

ALTER TABLE public.judging_attribute ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_attribute_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_barredtask (
    id bigint NOT NULL,
    enrollment_id bigint NOT NULL,
    task_id bigint NOT NULL
);

ALTER TABLE public.judging_barredtask ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_barredtask_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_campaign (
    id bigint NOT NULL,
    uuid uuid NOT NULL,
    title character varying(200) NOT NULL,
    state character varying(8) NOT NULL,
    origin character varying(9) NOT NULL,
    annotators_per_task smallint NOT NULL,
    "order" character varying(7) NOT NULL,
    seed integer NOT NULL,
    lease_minutes integer NOT NULL,
    time_zone character varying(60) NOT NULL,
    introduction text NOT NULL,
    consent text NOT NULL,
    contact character varying(200) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    locked_at timestamp with time zone,
    closed_at timestamp with time zone,
    protocol jsonb,
    protocol_digest character varying(64) NOT NULL,
    created_by_id bigint NOT NULL,
    collection_id bigint NOT NULL,
    rubric_id bigint NOT NULL,
    secret character varying(64) NOT NULL,
    seeded_before timestamp with time zone,
    secret_revealed_at timestamp with time zone,
    selection jsonb NOT NULL,
    tasks_per_annotator integer,
    withdrawal boolean NOT NULL,
    pay character varying(300) NOT NULL,
    quality jsonb NOT NULL,
    rate jsonb NOT NULL,
    guideline_version smallint DEFAULT 0 NOT NULL,
    checked boolean DEFAULT false NOT NULL,
    pass_mark smallint DEFAULT 80 NOT NULL,
    qualifies boolean DEFAULT false NOT NULL,
    trains boolean DEFAULT false NOT NULL,
    tries smallint DEFAULT 2 NOT NULL,
    ethics character varying(200) NOT NULL,
    retention_days smallint,
    analysis_plan text NOT NULL,
    sample_reason text NOT NULL,
    reproduces_id bigint,
    hypotheses jsonb NOT NULL,
    fixed_language character varying(10) DEFAULT ''::character varying NOT NULL,
    fixed_view character varying(5) DEFAULT ''::character varying NOT NULL,
    qualification_paid boolean DEFAULT false NOT NULL,
    text_language character varying(10) DEFAULT 'en'::character varying NOT NULL,
    translated_texts jsonb NOT NULL,
    highlight_keywords boolean DEFAULT false NOT NULL,
    review_before_submit boolean DEFAULT true NOT NULL,
    CONSTRAINT campaign_annotators_per_task CHECK ((annotators_per_task >= 1)),
    CONSTRAINT campaign_lease CHECK (((lease_minutes >= 1) AND (lease_minutes <= 10080))),
    CONSTRAINT campaign_locked_has_protocol CHECK ((((locked_at IS NULL) AND (protocol IS NULL) AND ((protocol_digest)::text = ''::text) AND ((state)::text = 'draft'::text)) OR ((NOT ((state)::text = 'draft'::text)) AND (locked_at IS NOT NULL) AND (protocol IS NOT NULL) AND (NOT ((protocol_digest)::text = ''::text))))),
    CONSTRAINT campaign_revealed_is_closed CHECK (((secret_revealed_at IS NULL) OR ((state)::text = ANY ((ARRAY['closed'::character varying, 'archived'::character varying])::text[])))),
    CONSTRAINT campaign_running_has_secret CHECK ((((state)::text = ANY ((ARRAY['draft'::character varying, 'closed'::character varying, 'archived'::character varying])::text[])) OR ((secret)::text ~ '^[0-9a-f]{64}$'::text))),
    CONSTRAINT campaign_state CHECK (((state)::text = ANY ((ARRAY['draft'::character varying, 'locked'::character varying, 'open'::character varying, 'paused'::character varying, 'closed'::character varying, 'archived'::character varying])::text[]))),
    CONSTRAINT campaign_tasks_per_annotator CHECK (((tasks_per_annotator IS NULL) OR (tasks_per_annotator >= 1))),
    CONSTRAINT judging_campaign_annotators_per_task_check CHECK ((annotators_per_task >= 0)),
    CONSTRAINT judging_campaign_guideline_version_check CHECK ((guideline_version >= 0)),
    CONSTRAINT judging_campaign_lease_minutes_check CHECK ((lease_minutes >= 0)),
    CONSTRAINT judging_campaign_pass_mark_check CHECK ((pass_mark >= 0)),
    CONSTRAINT judging_campaign_retention_days_check CHECK ((retention_days >= 0)),
    CONSTRAINT judging_campaign_seed_check CHECK ((seed >= 0)),
    CONSTRAINT judging_campaign_tasks_per_annotator_check CHECK ((tasks_per_annotator >= 0)),
    CONSTRAINT judging_campaign_tries_check CHECK ((tries >= 0))
);

ALTER TABLE public.judging_campaign ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_campaign_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_checkitem (
    id bigint NOT NULL,
    kind character varying(8) NOT NULL,
    method character varying(60) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    retired_at timestamp with time zone,
    campaign_id bigint NOT NULL,
    original_id bigint NOT NULL,
    unit_id bigint NOT NULL,
    CONSTRAINT check_item_kind CHECK (((kind)::text = ANY ((ARRAY['gold'::character varying, 'degraded'::character varying])::text[])))
);

ALTER TABLE public.judging_checkitem ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_checkitem_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_checktask (
    task_id bigint NOT NULL,
    kind character varying(8) NOT NULL,
    after integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    enrollment_id bigint NOT NULL,
    item_id bigint,
    of_task_id bigint,
    CONSTRAINT check_task_fits_kind CHECK ((((item_id IS NULL) AND ((kind)::text = 'repeat'::text) AND (of_task_id IS NOT NULL)) OR ((item_id IS NOT NULL) AND ((kind)::text = 'gold'::text)) OR ((item_id IS NOT NULL) AND ((kind)::text = 'degraded'::text) AND (of_task_id IS NOT NULL)))),
    CONSTRAINT judging_checktask_after_check CHECK ((after >= 0))
);

CREATE TABLE public.judging_collection (
    id bigint NOT NULL,
    name character varying(200) NOT NULL,
    licence character varying(200) NOT NULL,
    language character varying(35) NOT NULL,
    file_name character varying(255) NOT NULL,
    file_sha256 character varying(64) NOT NULL,
    mapping jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    owner_id bigint NOT NULL,
    file_id bigint,
    checks_of_id bigint
);

ALTER TABLE public.judging_collection ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_collection_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_collectionshare (
    id bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    collection_id bigint NOT NULL,
    user_id bigint NOT NULL
);

ALTER TABLE public.judging_collectionshare ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_collectionshare_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_criterion (
    id bigint NOT NULL,
    key character varying(60) NOT NULL,
    name character varying(100) NOT NULL,
    "position" smallint NOT NULL,
    stage smallint NOT NULL,
    unit character varying(10) NOT NULL,
    asked character varying(12) NOT NULL,
    level character varying(10) NOT NULL,
    best character varying(10) NOT NULL,
    rubric_id bigint NOT NULL,
    CONSTRAINT judging_criterion_position_check CHECK (("position" >= 0)),
    CONSTRAINT judging_criterion_stage_check CHECK ((stage >= 0))
);

ALTER TABLE public.judging_criterion ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_criterion_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_crowdevent (
    id bigint NOT NULL,
    event character varying(64) NOT NULL,
    signature character varying(64) NOT NULL,
    session character varying(64) NOT NULL,
    kind character varying(60) NOT NULL,
    status character varying(30) NOT NULL,
    freed boolean NOT NULL,
    sent_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL,
    platform_id bigint NOT NULL,
    participation_id bigint
);

ALTER TABLE public.judging_crowdevent ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_crowdevent_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_crowdplatform (
    id bigint NOT NULL,
    key character varying(32) NOT NULL,
    kind character varying(10) NOT NULL,
    person_param character varying(40) NOT NULL,
    study_param character varying(40) NOT NULL,
    session_param character varying(40) NOT NULL,
    return_template character varying(300) NOT NULL,
    codes jsonb NOT NULL,
    minutes integer NOT NULL,
    signed boolean NOT NULL,
    keys_url character varying(300) NOT NULL,
    audience character varying(200) NOT NULL,
    keys jsonb,
    keys_at timestamp with time zone,
    webhook_secret text NOT NULL,
    campaign_id bigint NOT NULL,
    studies jsonb NOT NULL,
    CONSTRAINT crowd_platform_kind CHECK (((kind)::text = ANY ((ARRAY['prolific'::character varying, 'connect'::character varying, 'sona'::character varying, 'generic'::character varying])::text[]))),
    CONSTRAINT crowd_platform_minutes CHECK ((minutes >= 5)),
    CONSTRAINT crowd_platform_names_person CHECK ((NOT ((person_param)::text = ''::text))),
    CONSTRAINT crowd_platform_signed_has_keys CHECK (((NOT signed) OR ((NOT ((keys_url)::text = ''::text)) AND (NOT ((audience)::text = ''::text))))),
    CONSTRAINT judging_crowdplatform_minutes_check CHECK ((minutes >= 0))
);

ALTER TABLE public.judging_crowdplatform ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_crowdplatform_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_deviation (
    id bigint NOT NULL,
    what character varying(100) NOT NULL,
    before text NOT NULL,
    after text NOT NULL,
    reason text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    made_by_id bigint NOT NULL
);

ALTER TABLE public.judging_deviation ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_deviation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_discussionnote (
    id bigint NOT NULL,
    text text NOT NULL,
    written_at timestamp with time zone NOT NULL,
    criterion_id bigint NOT NULL,
    round_id bigint NOT NULL,
    unit_id bigint,
    written_by_id bigint NOT NULL,
    CONSTRAINT discussion_note_has_text CHECK ((NOT (text = ''::text)))
);

ALTER TABLE public.judging_discussionnote ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_discussionnote_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_draft (
    id bigint NOT NULL,
    value smallint,
    sequence bigint NOT NULL,
    saved_at timestamp with time zone NOT NULL,
    assignment_id uuid NOT NULL,
    criterion_id bigint NOT NULL,
    unit_id bigint NOT NULL,
    answered_at timestamp with time zone,
    first_shown_at timestamp with time zone,
    input character varying(8) DEFAULT ''::character varying NOT NULL,
    CONSTRAINT judging_draft_sequence_check CHECK ((sequence >= 0))
);

ALTER TABLE public.judging_draft ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_draft_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_dryrun (
    campaign_id bigint NOT NULL,
    number smallint NOT NULL,
    settings jsonb NOT NULL,
    outcome jsonb NOT NULL,
    draft_id bigint,
    CONSTRAINT judging_dryrun_number_check CHECK ((number >= 0))
);

CREATE TABLE public.judging_enrollment (
    id bigint NOT NULL,
    label character varying(100) NOT NULL,
    pseudonym character varying(64) NOT NULL,
    seat smallint,
    cursor integer NOT NULL,
    consented_at timestamp with time zone,
    consent_digest character varying(64) NOT NULL,
    qualified_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    user_id bigint,
    invitation_id bigint,
    draw_id uuid NOT NULL,
    visitor character varying(64) NOT NULL,
    twin_of_id bigint,
    cursor_round_id bigint,
    stopped_at timestamp with time zone,
    trained_at timestamp with time zone,
    at_work_until timestamp with time zone,
    CONSTRAINT enrollment_consent_names_text CHECK (((consented_at IS NULL) OR (NOT ((consent_digest)::text = ''::text)))),
    CONSTRAINT judging_enrollment_cursor_check CHECK ((cursor >= 0)),
    CONSTRAINT judging_enrollment_seat_check CHECK ((seat >= 0))
);

ALTER TABLE public.judging_enrollment ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_enrollment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_erasure (
    id bigint NOT NULL,
    label character varying(100) NOT NULL,
    counts jsonb NOT NULL,
    erased_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    erased_by_id bigint
);

ALTER TABLE public.judging_erasure ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_erasure_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_event (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    who bigint,
    act character varying(40) NOT NULL,
    campaign uuid,
    about character varying(120) NOT NULL,
    before character varying(200) NOT NULL,
    after character varying(200) NOT NULL
);

ALTER TABLE public.judging_event ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_eventseal (
    event_id bigint NOT NULL,
    "position" bigint NOT NULL,
    previous character varying(64) NOT NULL,
    digest character varying(64) NOT NULL
);

CREATE TABLE public.judging_exclusion (
    id bigint NOT NULL,
    reason text NOT NULL,
    excluded_at timestamp with time zone NOT NULL,
    lifted_at timestamp with time zone,
    enrollment_id bigint NOT NULL,
    excluded_by_id bigint NOT NULL,
    lifted_by_id bigint,
    CONSTRAINT exclusion_has_reason CHECK ((NOT (reason = ''::text))),
    CONSTRAINT exclusion_lifted_by_someone CHECK ((((lifted_at IS NULL) AND (lifted_by_id IS NULL)) OR ((lifted_at IS NOT NULL) AND (lifted_by_id IS NOT NULL))))
);

ALTER TABLE public.judging_exclusion ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_exclusion_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_exercise (
    id bigint NOT NULL,
    kind character varying(13) NOT NULL,
    number smallint NOT NULL,
    passage text NOT NULL,
    answer text NOT NULL,
    question text NOT NULL,
    campaign_id bigint NOT NULL,
    repeats_id bigint,
    CONSTRAINT exercise_has_question CHECK ((NOT (question = ''::text))),
    CONSTRAINT exercise_kind CHECK (((kind)::text = ANY ((ARRAY['training'::character varying, 'qualification'::character varying])::text[]))),
    CONSTRAINT judging_exercise_number_check CHECK ((number >= 0))
);

ALTER TABLE public.judging_exercise ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_exercise_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_exercisekey (
    id bigint NOT NULL,
    accepted jsonb NOT NULL,
    explanation text NOT NULL,
    criterion_id bigint NOT NULL,
    exercise_id bigint NOT NULL
);

ALTER TABLE public.judging_exercisekey ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_exercisekey_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_exitanswer (
    id bigint NOT NULL,
    text text NOT NULL,
    answered_at timestamp with time zone NOT NULL,
    enrollment_id bigint NOT NULL,
    question_id bigint NOT NULL,
    CONSTRAINT exit_answer_not_empty CHECK ((NOT (text = ''::text)))
);

ALTER TABLE public.judging_exitanswer ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_exitanswer_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_exitquestion (
    id bigint NOT NULL,
    number smallint NOT NULL,
    text character varying(300) NOT NULL,
    kind character varying(6) NOT NULL,
    options jsonb NOT NULL,
    reason character varying(300) NOT NULL,
    personal boolean NOT NULL,
    campaign_id bigint NOT NULL,
    CONSTRAINT exit_question_has_reason CHECK (((NOT ((text)::text = ''::text)) AND (NOT ((reason)::text = ''::text)))),
    CONSTRAINT exit_question_kind CHECK ((((kind)::text = 'text'::text) OR ((kind)::text = 'choice'::text))),
    CONSTRAINT judging_exitquestion_number_check CHECK ((number >= 0))
);

ALTER TABLE public.judging_exitquestion ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_exitquestion_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_filledblank (
    id bigint NOT NULL,
    name character varying(30) NOT NULL,
    added_file_id bigint NOT NULL,
    source_id bigint NOT NULL
);

ALTER TABLE public.judging_filledblank ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_filledblank_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_guidelineversion (
    id bigint NOT NULL,
    number smallint NOT NULL,
    text text NOT NULL,
    written_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    round_id bigint,
    written_by_id bigint NOT NULL,
    CONSTRAINT judging_guidelineversion_number_check CHECK ((number >= 0))
);

ALTER TABLE public.judging_guidelineversion ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_guidelineversion_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_idempotentrequest (
    id bigint NOT NULL,
    key character varying(200) NOT NULL,
    digest character varying(64) NOT NULL,
    status smallint NOT NULL,
    body text NOT NULL,
    location character varying(300) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    user_id bigint NOT NULL,
    CONSTRAINT judging_idempotentrequest_status_check CHECK ((status >= 0))
);

ALTER TABLE public.judging_idempotentrequest ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_idempotentrequest_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_invitation (
    id bigint NOT NULL,
    role character varying(10) NOT NULL,
    label character varying(100) NOT NULL,
    places integer,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    created_by_id bigint NOT NULL,
    digest character varying(64) NOT NULL,
    number character varying(32) NOT NULL,
    CONSTRAINT invitation_for_annotators CHECK ((((role)::text = 'annotator'::text) OR (revoked_at IS NOT NULL))),
    CONSTRAINT judging_invitation_places_check CHECK ((places >= 0))
);

ALTER TABLE public.judging_invitation ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_invitation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_job (
    id uuid NOT NULL,
    kind character varying(40) NOT NULL,
    parameters jsonb NOT NULL,
    state character varying(9) NOT NULL,
    done integer NOT NULL,
    total integer NOT NULL,
    message character varying(300) NOT NULL,
    error text NOT NULL,
    result jsonb NOT NULL,
    attempts smallint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    rung_at timestamp with time zone,
    started_at timestamp with time zone,
    heartbeat_at timestamp with time zone,
    finished_at timestamp with time zone,
    cancel_requested_at timestamp with time zone,
    campaign_id bigint,
    collection_id bigint,
    created_by_id bigint NOT NULL,
    queue character varying(20) NOT NULL,
    parent_id uuid,
    CONSTRAINT job_state_fits_columns CHECK ((((finished_at IS NULL) AND ((state)::text = 'queued'::text)) OR ((finished_at IS NULL) AND (heartbeat_at IS NOT NULL) AND (started_at IS NOT NULL) AND ((state)::text = 'running'::text)) OR ((finished_at IS NOT NULL) AND ((state)::text = ANY ((ARRAY['done'::character varying, 'cancelled'::character varying])::text[]))) OR ((finished_at IS NOT NULL) AND ((state)::text = 'failed'::text) AND (NOT (error = ''::text))))),
    CONSTRAINT judging_job_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT judging_job_done_check CHECK ((done >= 0)),
    CONSTRAINT judging_job_total_check CHECK ((total >= 0))
);

CREATE TABLE public.judging_judgekey (
    job_id uuid NOT NULL,
    sealed text NOT NULL
);

CREATE TABLE public.judging_judgment (
    id bigint NOT NULL,
    value smallint NOT NULL,
    origin character varying(8) NOT NULL,
    cause character varying(60) NOT NULL,
    revision smallint NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    superseded_at timestamp with time zone,
    assignment_id uuid NOT NULL,
    criterion_id bigint NOT NULL,
    unit_id bigint NOT NULL,
    added_file_id bigint,
    answered_at timestamp with time zone,
    first_shown_at timestamp with time zone,
    CONSTRAINT judging_judgment_revision_check CHECK ((revision >= 0)),
    CONSTRAINT judgment_origin CHECK (((origin)::text = ANY ((ARRAY['judged'::character varying, 'rule'::character varying, 'imported'::character varying])::text[]))),
    CONSTRAINT judgment_rule_has_cause CHECK (((((origin)::text = 'rule'::text) OR ((cause)::text = ''::text)) AND (1 = (
CASE
    WHEN ((origin)::text = 'rule'::text) THEN 1
    ELSE 0
END +
CASE
    WHEN ((cause)::text = ''::text) THEN 1
    ELSE 0
END))))
);

ALTER TABLE public.judging_judgment ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_judgment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_judgmentattribute (
    id bigint NOT NULL,
    name character varying(100) NOT NULL,
    value text NOT NULL,
    judgment_id bigint NOT NULL
);

ALTER TABLE public.judging_judgmentattribute ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_judgmentattribute_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_loginattempts (
    key character varying(64) NOT NULL,
    attempts smallint NOT NULL,
    last_at timestamp with time zone NOT NULL,
    visitor character varying(64) DEFAULT ''::character varying NOT NULL,
    CONSTRAINT judging_loginattempts_attempts_check CHECK ((attempts >= 0))
);

CREATE TABLE public.judging_machinejudge (
    id bigint NOT NULL,
    name character varying(100) NOT NULL,
    model character varying(200) NOT NULL,
    version character varying(200) NOT NULL,
    prompt text NOT NULL,
    prompt_sha256 character varying(64) NOT NULL,
    temperature double precision,
    judged_on date,
    cost numeric(20,10),
    currency character varying(3) NOT NULL,
    own_systems jsonb NOT NULL,
    file_name character varying(255) NOT NULL,
    problems jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    created_by_id bigint NOT NULL,
    file_id bigint,
    CONSTRAINT machine_judge_cost CHECK (((cost IS NULL) OR (cost >= (0)::numeric))),
    CONSTRAINT machine_judge_has_name CHECK (((NOT ((name)::text = ''::text)) AND (NOT ((model)::text = ''::text)))),
    CONSTRAINT machine_judge_prompt_hash CHECK ((((prompt = ''::text) OR (NOT ((prompt_sha256)::text = ''::text))) AND (1 = (
CASE
    WHEN (prompt = ''::text) THEN 1
    ELSE 0
END +
CASE
    WHEN (NOT ((prompt_sha256)::text = ''::text)) THEN 1
    ELSE 0
END)))),
    CONSTRAINT machine_judge_temperature CHECK (((temperature IS NULL) OR (temperature >= (0.0)::double precision)))
);

ALTER TABLE public.judging_machinejudge ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_machinejudge_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_machinejudgment (
    id bigint NOT NULL,
    value smallint NOT NULL,
    repeat smallint NOT NULL,
    rationale text NOT NULL,
    raw text NOT NULL,
    criterion_id bigint NOT NULL,
    judge_id bigint NOT NULL,
    unit_id bigint NOT NULL,
    place smallint,
    CONSTRAINT judging_machinejudgment_place_check CHECK ((place >= 0)),
    CONSTRAINT judging_machinejudgment_repeat_check CHECK ((repeat >= 0)),
    CONSTRAINT machine_judgment_repeat CHECK ((repeat >= 1))
);

ALTER TABLE public.judging_machinejudgment ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_machinejudgment_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_marking (
    id bigint NOT NULL,
    nothing boolean NOT NULL,
    sequence bigint NOT NULL,
    saved_at timestamp with time zone NOT NULL,
    assignment_id uuid NOT NULL,
    unit_id bigint NOT NULL,
    added_file_id bigint,
    CONSTRAINT judging_marking_sequence_check CHECK ((sequence >= 0))
);

ALTER TABLE public.judging_marking ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_marking_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_membership (
    id bigint NOT NULL,
    role character varying(10) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    user_id bigint NOT NULL,
    CONSTRAINT membership_role CHECK (((role)::text = ANY ((ARRAY['manager'::character varying, 'analyst'::character varying, 'annotator'::character varying])::text[])))
);

ALTER TABLE public.judging_membership ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_membership_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_metric (
    id bigint NOT NULL,
    name character varying(100) NOT NULL,
    kind character varying(10) NOT NULL,
    direction character varying(6) NOT NULL,
    scale character varying(8) NOT NULL,
    fingerprint character varying(64) NOT NULL,
    made jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    collection_id bigint NOT NULL,
    added_file_id bigint
);

ALTER TABLE public.judging_metric ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_metric_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_note (
    id bigint NOT NULL,
    text text NOT NULL,
    sequence bigint NOT NULL,
    saved_at timestamp with time zone NOT NULL,
    assignment_id uuid NOT NULL,
    unit_id bigint,
    added_file_id bigint,
    CONSTRAINT judging_note_sequence_check CHECK ((sequence >= 0))
);

ALTER TABLE public.judging_note ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_note_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_participation (
    id bigint NOT NULL,
    person character varying(64) NOT NULL,
    session character varying(64) NOT NULL,
    share integer NOT NULL,
    came_at timestamp with time zone NOT NULL,
    reserved_until timestamp with time zone,
    "left" character varying(9) NOT NULL,
    left_at timestamp with time zone,
    "end" character varying(13) NOT NULL,
    ended_at timestamp with time zone,
    enrollment_id bigint,
    platform_id bigint NOT NULL,
    round_id bigint,
    CONSTRAINT judging_participation_share_check CHECK ((share >= 0)),
    CONSTRAINT participation_end CHECK ((((("end")::text = ''::text) AND (ended_at IS NULL)) OR ((("end")::text = ANY ((ARRAY['completed'::character varying, 'no_consent'::character varying, 'screened_out'::character varying, 'failed_checks'::character varying, 'quota_full'::character varying, 'timed_out'::character varying])::text[])) AND (ended_at IS NOT NULL)))),
    CONSTRAINT participation_left CHECK ((((("left")::text = ''::text) AND (left_at IS NULL)) OR ((("left")::text = ANY ((ARRAY['returned'::character varying, 'timed_out'::character varying, 'rejected'::character varying, 'expired'::character varying])::text[])) AND (left_at IS NOT NULL)))),
    CONSTRAINT participation_reserves_for_somebody CHECK (((reserved_until IS NULL) OR ((("end")::text = ''::text) AND (enrollment_id IS NOT NULL) AND (("left")::text = ''::text) AND (round_id IS NOT NULL))))
);

ALTER TABLE public.judging_participation ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_participation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_passage (
    id bigint NOT NULL,
    digest character varying(64) NOT NULL,
    text text NOT NULL,
    collection_id bigint NOT NULL,
    added_file_id bigint,
    CONSTRAINT passage_has_text CHECK ((NOT (text = ''::text)))
);

ALTER TABLE public.judging_passage ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_passage_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_qualificationtry (
    id bigint NOT NULL,
    number smallint NOT NULL,
    made_at timestamp with time zone NOT NULL,
    "right" smallint NOT NULL,
    asked smallint NOT NULL,
    consistent boolean NOT NULL,
    passed boolean NOT NULL,
    enrollment_id bigint NOT NULL,
    CONSTRAINT judging_qualificationtry_asked_check CHECK ((asked >= 0)),
    CONSTRAINT judging_qualificationtry_number_check CHECK ((number >= 0)),
    CONSTRAINT judging_qualificationtry_right_check CHECK (("right" >= 0))
);

ALTER TABLE public.judging_qualificationtry ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_qualificationtry_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_quarantine (
    id bigint NOT NULL,
    "row" integer NOT NULL,
    "column" character varying(200) NOT NULL,
    value text NOT NULL,
    reason text NOT NULL,
    collection_id bigint NOT NULL,
    added_file_id bigint,
    CONSTRAINT judging_quarantine_row_check CHECK (("row" >= 0))
);

ALTER TABLE public.judging_quarantine ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_quarantine_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_question (
    unit_id bigint NOT NULL,
    text text NOT NULL,
    key character varying(200) NOT NULL,
    question_type character varying(100) NOT NULL,
    submitted_answer text NOT NULL,
    added_file_id bigint,
    CONSTRAINT question_has_text CHECK ((NOT (text = ''::text)))
);

CREATE TABLE public.judging_questionset (
    id bigint NOT NULL,
    expected smallint NOT NULL,
    source_id bigint NOT NULL,
    system_id bigint NOT NULL,
    added_file_id bigint,
    CONSTRAINT judging_questionset_expected_check CHECK ((expected >= 0)),
    CONSTRAINT question_set_expects CHECK ((expected >= 1))
);

ALTER TABLE public.judging_questionset ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_questionset_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_reference (
    id bigint NOT NULL,
    "position" smallint NOT NULL,
    text text NOT NULL,
    source_id bigint NOT NULL,
    added_file_id bigint,
    CONSTRAINT judging_reference_position_check CHECK (("position" >= 0)),
    CONSTRAINT reference_has_text CHECK ((NOT (text = ''::text)))
);

ALTER TABLE public.judging_reference ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_reference_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_round (
    id bigint NOT NULL,
    kind character varying(11) NOT NULL,
    number smallint NOT NULL,
    opened_at timestamp with time zone,
    closed_at timestamp with time zone,
    campaign_id bigint NOT NULL,
    annotators_per_task smallint,
    apart boolean DEFAULT false NOT NULL,
    CONSTRAINT judging_round_annotators_per_task_check CHECK ((annotators_per_task >= 0)),
    CONSTRAINT judging_round_number_check CHECK ((number >= 0)),
    CONSTRAINT round_closes_after_opening CHECK (((closed_at IS NULL) OR (opened_at IS NOT NULL)))
);

ALTER TABLE public.judging_round ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_round_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_rubric (
    id bigint NOT NULL,
    key character varying(60) NOT NULL,
    version character varying(20) NOT NULL,
    digest character varying(64) NOT NULL,
    title character varying(200) NOT NULL,
    task character varying(12) NOT NULL,
    page_size smallint NOT NULL,
    document jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL,
    owner_id bigint,
    CONSTRAINT judging_rubric_page_size_check CHECK ((page_size >= 0)),
    CONSTRAINT rubric_page_size CHECK ((page_size >= 1))
);

ALTER TABLE public.judging_rubric ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_rubric_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_rubricdraft (
    id bigint NOT NULL,
    title character varying(200) NOT NULL,
    text text NOT NULL,
    revision integer NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    owner_id bigint NOT NULL,
    CONSTRAINT judging_rubricdraft_revision_check CHECK ((revision >= 0))
);

ALTER TABLE public.judging_rubricdraft ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_rubricdraft_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_scalepoint (
    id bigint NOT NULL,
    value smallint NOT NULL,
    label character varying(300) NOT NULL,
    missing boolean NOT NULL,
    criterion_id bigint NOT NULL
);

ALTER TABLE public.judging_scalepoint ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_scalepoint_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_score (
    id bigint NOT NULL,
    value double precision,
    text character varying(100) NOT NULL,
    reason character varying(300) NOT NULL,
    metric_id bigint NOT NULL,
    unit_id bigint,
    system_id bigint,
    added_file_id bigint,
    detail jsonb,
    CONSTRAINT score_of_one_thing CHECK ((((system_id IS NOT NULL) AND (unit_id IS NULL)) OR ((system_id IS NULL) AND (unit_id IS NOT NULL)))),
    CONSTRAINT score_or_reason CHECK (((value IS NOT NULL) OR (NOT ((reason)::text = ''::text))))
);

ALTER TABLE public.judging_score ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_score_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_secondfactor (
    id bigint NOT NULL,
    secret text NOT NULL,
    confirmed_at timestamp with time zone,
    last_step bigint NOT NULL,
    recovery jsonb NOT NULL,
    user_id bigint NOT NULL
);

ALTER TABLE public.judging_secondfactor ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_secondfactor_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_selectedunit (
    id bigint NOT NULL,
    campaign_id bigint NOT NULL,
    unit_id bigint NOT NULL
);

ALTER TABLE public.judging_selectedunit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_selectedunit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_settledvalue (
    id bigint NOT NULL,
    value smallint NOT NULL,
    reason character varying(500) NOT NULL,
    settled_at timestamp with time zone NOT NULL,
    superseded_at timestamp with time zone,
    campaign_id bigint NOT NULL,
    criterion_id bigint NOT NULL,
    settled_by_id bigint NOT NULL,
    unit_id bigint NOT NULL
);

ALTER TABLE public.judging_settledvalue ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_settledvalue_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_snapshot (
    campaign_id bigint NOT NULL,
    document jsonb NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    seconds double precision NOT NULL
);

CREATE TABLE public.judging_source (
    id bigint NOT NULL,
    key character varying(200) NOT NULL,
    "position" integer NOT NULL,
    answer text NOT NULL,
    answer_start integer,
    sentence text NOT NULL,
    sentence_start integer,
    target_type character varying(100) NOT NULL,
    modality character varying(100) NOT NULL,
    collection_id bigint NOT NULL,
    passage_id bigint,
    repeat_of_id bigint,
    added_file_id bigint,
    repeat smallint DEFAULT 1 NOT NULL,
    language character varying(35) NOT NULL,
    CONSTRAINT judging_source_answer_start_check CHECK ((answer_start >= 0)),
    CONSTRAINT judging_source_position_check CHECK (("position" >= 0)),
    CONSTRAINT judging_source_repeat_check CHECK ((repeat >= 0)),
    CONSTRAINT judging_source_sentence_start_check CHECK ((sentence_start >= 0)),
    CONSTRAINT source_repeat_of_one CHECK ((((repeat = 1) AND (repeat_of_id IS NULL)) OR ((repeat >= 2) AND (repeat_of_id IS NOT NULL))))
);

ALTER TABLE public.judging_source ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_source_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_spanmark (
    id bigint NOT NULL,
    start integer NOT NULL,
    "end" integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    assignment_id uuid NOT NULL,
    unit_id bigint NOT NULL,
    added_file_id bigint,
    CONSTRAINT judging_spanmark_end_check CHECK (("end" >= 0)),
    CONSTRAINT judging_spanmark_start_check CHECK ((start >= 0)),
    CONSTRAINT span_mark_not_empty CHECK (("end" > start))
);

ALTER TABLE public.judging_spanmark ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_spanmark_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_storedfile (
    id bigint NOT NULL,
    sha256 character varying(64) NOT NULL,
    size bigint NOT NULL,
    content bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT judging_storedfile_size_check CHECK ((size >= 0))
);

ALTER TABLE public.judging_storedfile ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_storedfile_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_storedpart (
    id bigint NOT NULL,
    number integer NOT NULL,
    content bytea NOT NULL,
    file_id bigint NOT NULL,
    CONSTRAINT judging_storedpart_number_check CHECK ((number >= 0))
);

ALTER TABLE public.judging_storedpart ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_storedpart_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_system (
    id bigint NOT NULL,
    name character varying(200) NOT NULL,
    kind character varying(12) NOT NULL,
    collection_id bigint NOT NULL,
    added_file_id bigint
);

ALTER TABLE public.judging_system ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_system_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_systemauthor (
    id bigint NOT NULL,
    enrollment_id bigint NOT NULL,
    system_id bigint NOT NULL
);

ALTER TABLE public.judging_systemauthor ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_systemauthor_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_systemchange (
    id bigint NOT NULL,
    what character varying(7) NOT NULL,
    before character varying(200) NOT NULL,
    after character varying(200) NOT NULL,
    details jsonb NOT NULL,
    made_at timestamp with time zone NOT NULL,
    undone_at timestamp with time zone,
    collection_id bigint NOT NULL,
    made_by_id bigint NOT NULL
);

ALTER TABLE public.judging_systemchange ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_systemchange_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_task (
    id bigint NOT NULL,
    number integer NOT NULL,
    round_id bigint NOT NULL,
    CONSTRAINT judging_task_number_check CHECK ((number >= 0))
);

ALTER TABLE public.judging_task ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_task_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_taskunit (
    id bigint NOT NULL,
    "position" smallint NOT NULL,
    task_id bigint NOT NULL,
    unit_id bigint NOT NULL,
    CONSTRAINT judging_taskunit_position_check CHECK (("position" >= 0))
);

ALTER TABLE public.judging_taskunit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_taskunit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_trainedexercise (
    id bigint NOT NULL,
    enrollment_id bigint NOT NULL,
    exercise_id bigint NOT NULL
);

ALTER TABLE public.judging_trainedexercise ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_trainedexercise_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_tryanswer (
    id bigint NOT NULL,
    value smallint NOT NULL,
    attempt_id bigint NOT NULL,
    criterion_id bigint NOT NULL,
    exercise_id bigint NOT NULL
);

ALTER TABLE public.judging_tryanswer ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_tryanswer_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_unit (
    id bigint NOT NULL,
    "position" smallint,
    question_set_id bigint NOT NULL,
    added_file_id bigint,
    CONSTRAINT judging_unit_position_check CHECK (("position" >= 0)),
    CONSTRAINT unit_position CHECK ((("position" IS NULL) OR ("position" >= 1)))
);

ALTER TABLE public.judging_unit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_unit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_user (
    id bigint NOT NULL,
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    username character varying(150) NOT NULL,
    first_name character varying(150) NOT NULL,
    last_name character varying(150) NOT NULL,
    email character varying(254) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL,
    may_create_campaigns boolean NOT NULL,
    link_nonce character varying(32) NOT NULL,
    version integer NOT NULL,
    CONSTRAINT judging_user_version_check CHECK ((version >= 0))
);

CREATE TABLE public.judging_user_groups (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    group_id integer NOT NULL
);

ALTER TABLE public.judging_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE public.judging_user ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_user_user_permissions (
    id bigint NOT NULL,
    user_id bigint NOT NULL,
    permission_id integer NOT NULL
);

ALTER TABLE public.judging_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_visit (
    id bigint NOT NULL,
    session_key character varying(40) NOT NULL,
    browser character varying(60) NOT NULL,
    began_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    user_id bigint NOT NULL
);

ALTER TABLE public.judging_visit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_visit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_webhook (
    id bigint NOT NULL,
    url character varying(500) NOT NULL,
    events jsonb NOT NULL,
    secret text NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    campaign_id bigint NOT NULL,
    created_by_id bigint NOT NULL,
    CONSTRAINT webhook_has_events CHECK ((NOT (events = '[]'::jsonb)))
);

ALTER TABLE public.judging_webhook ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.judging_webhook_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.judging_webhookdelivery (
    id uuid NOT NULL,
    event character varying(20) NOT NULL,
    data jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    state character varying(9) NOT NULL,
    attempts smallint NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    delivered_at timestamp with time zone,
    status smallint,
    problem character varying(200) NOT NULL,
    webhook_id bigint NOT NULL,
    CONSTRAINT judging_webhookdelivery_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT judging_webhookdelivery_status_check CHECK ((status >= 0)),
    CONSTRAINT webhook_delivery_delivered_at CHECK (((((state)::text = 'delivered'::text) OR (delivered_at IS NULL)) AND (1 = (
CASE
    WHEN ((state)::text = 'delivered'::text) THEN 1
    ELSE 0
END +
CASE
    WHEN (delivered_at IS NULL) THEN 1
    ELSE 0
END)))),
    CONSTRAINT webhook_delivery_state CHECK (((state)::text = ANY ((ARRAY['waiting'::character varying, 'delivered'::character varying, 'failed'::character varying])::text[])))
);

CREATE TABLE public.judging_workerpresence (
    name character varying(200) NOT NULL,
    seen_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY public.judging_acceptedvalue
    ADD CONSTRAINT accepted_value_once UNIQUE (item_id, criterion_id, value);

ALTER TABLE ONLY public.judging_addedfile
    ADD CONSTRAINT added_file_number UNIQUE (collection_id, number);

ALTER TABLE ONLY public.analysis_keptexample
    ADD CONSTRAINT analysis_keptexample_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.analysis_reportpage
    ADD CONSTRAINT analysis_reportpage_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.analysis_result
    ADD CONSTRAINT analysis_result_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.analysis_run
    ADD CONSTRAINT analysis_run_job_id_key UNIQUE (job_id);

ALTER TABLE ONLY public.analysis_run
    ADD CONSTRAINT analysis_run_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_assignment
    ADD CONSTRAINT assignment_once_per_enrollment UNIQUE (enrollment_id, task_id);

ALTER TABLE ONLY public.judging_attribute
    ADD CONSTRAINT attribute_once UNIQUE (unit_id, name);

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_barredtask
    ADD CONSTRAINT barred_task_once UNIQUE (enrollment_id, task_id);

ALTER TABLE ONLY public.judging_checktask
    ADD CONSTRAINT check_task_once_a_turn UNIQUE (enrollment_id, after);

ALTER TABLE ONLY public.judging_collectionshare
    ADD CONSTRAINT collection_share_once UNIQUE (collection_id, user_id);

ALTER TABLE ONLY public.judging_criterion
    ADD CONSTRAINT criterion_key UNIQUE (rubric_id, key);

ALTER TABLE ONLY public.judging_criterion
    ADD CONSTRAINT criterion_position UNIQUE (rubric_id, "position");

ALTER TABLE ONLY public.judging_crowdevent
    ADD CONSTRAINT crowd_event_once UNIQUE (platform_id, event);

ALTER TABLE ONLY public.judging_crowdevent
    ADD CONSTRAINT crowd_event_sent_once UNIQUE (platform_id, signature);

ALTER TABLE ONLY public.judging_discussionnote
    ADD CONSTRAINT discussion_note_once UNIQUE NULLS NOT DISTINCT (round_id, criterion_id, unit_id);

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);

ALTER TABLE ONLY public.judging_draft
    ADD CONSTRAINT draft_once UNIQUE (assignment_id, unit_id, criterion_id);

ALTER TABLE ONLY public.judging_dryrun
    ADD CONSTRAINT dry_run_number UNIQUE (draft_id, number);

ALTER TABLE ONLY public.judging_enrollment
    ADD CONSTRAINT enrollment_label UNIQUE (campaign_id, label);

ALTER TABLE ONLY public.judging_enrollment
    ADD CONSTRAINT enrollment_once_per_user UNIQUE (campaign_id, user_id);

ALTER TABLE ONLY public.judging_enrollment
    ADD CONSTRAINT enrollment_seat UNIQUE (campaign_id, seat);

ALTER TABLE ONLY public.judging_exercisekey
    ADD CONSTRAINT exercise_key_once UNIQUE (exercise_id, criterion_id);

ALTER TABLE ONLY public.judging_exercise
    ADD CONSTRAINT exercise_number UNIQUE (campaign_id, kind, number);

ALTER TABLE ONLY public.judging_exitanswer
    ADD CONSTRAINT exit_answer_once UNIQUE (enrollment_id, question_id);

ALTER TABLE ONLY public.judging_exitquestion
    ADD CONSTRAINT exit_question_number UNIQUE (campaign_id, number);

ALTER TABLE ONLY public.judging_filledblank
    ADD CONSTRAINT filled_blank_once UNIQUE (source_id, name);

ALTER TABLE ONLY public.judging_guidelineversion
    ADD CONSTRAINT guideline_version_once UNIQUE (campaign_id, number);

ALTER TABLE ONLY public.judging_idempotentrequest
    ADD CONSTRAINT idempotency_key_once UNIQUE (user_id, key);

ALTER TABLE ONLY public.judging_acceptedvalue
    ADD CONSTRAINT judging_acceptedvalue_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_accesskey
    ADD CONSTRAINT judging_accesskey_digest_key UNIQUE (digest);

ALTER TABLE ONLY public.judging_accesskey
    ADD CONSTRAINT judging_accesskey_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_accesskey
    ADD CONSTRAINT judging_accesskey_user_id_key UNIQUE (user_id);

ALTER TABLE ONLY public.judging_addedfile
    ADD CONSTRAINT judging_addedfile_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_adjudication
    ADD CONSTRAINT judging_adjudication_pkey PRIMARY KEY (campaign_id);

ALTER TABLE ONLY public.judging_analysedagreement
    ADD CONSTRAINT judging_analysedagreement_pkey PRIMARY KEY (campaign_id);

ALTER TABLE ONLY public.judging_assignment
    ADD CONSTRAINT judging_assignment_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_attribute
    ADD CONSTRAINT judging_attribute_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_barredtask
    ADD CONSTRAINT judging_barredtask_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_campaign
    ADD CONSTRAINT judging_campaign_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_campaign
    ADD CONSTRAINT judging_campaign_uuid_key UNIQUE (uuid);

ALTER TABLE ONLY public.judging_checkitem
    ADD CONSTRAINT judging_checkitem_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_checkitem
    ADD CONSTRAINT judging_checkitem_unit_id_key UNIQUE (unit_id);

ALTER TABLE ONLY public.judging_checktask
    ADD CONSTRAINT judging_checktask_pkey PRIMARY KEY (task_id);

ALTER TABLE ONLY public.judging_collection
    ADD CONSTRAINT judging_collection_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_collectionshare
    ADD CONSTRAINT judging_collectionshare_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_criterion
    ADD CONSTRAINT judging_criterion_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_crowdevent
    ADD CONSTRAINT judging_crowdevent_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_crowdplatform
    ADD CONSTRAINT judging_crowdplatform_campaign_id_key UNIQUE (campaign_id);

ALTER TABLE ONLY public.judging_crowdplatform
    ADD CONSTRAINT judging_crowdplatform_key_key UNIQUE (key);

ALTER TABLE ONLY public.judging_crowdplatform
    ADD CONSTRAINT judging_crowdplatform_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_deviation
    ADD CONSTRAINT judging_deviation_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_discussionnote
    ADD CONSTRAINT judging_discussionnote_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_draft
    ADD CONSTRAINT judging_draft_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_dryrun
    ADD CONSTRAINT judging_dryrun_pkey PRIMARY KEY (campaign_id);

ALTER TABLE ONLY public.judging_enrollment
    ADD CONSTRAINT judging_enrollment_draw_id_7a4c269b_uniq UNIQUE (draw_id);

ALTER TABLE ONLY public.judging_enrollment
    ADD CONSTRAINT judging_enrollment_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_erasure
    ADD CONSTRAINT judging_erasure_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_event
    ADD CONSTRAINT judging_event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_eventseal
    ADD CONSTRAINT judging_eventseal_digest_key UNIQUE (digest);

ALTER TABLE ONLY public.judging_eventseal
    ADD CONSTRAINT judging_eventseal_pkey PRIMARY KEY (event_id);

ALTER TABLE ONLY public.judging_eventseal
    ADD CONSTRAINT judging_eventseal_position_key UNIQUE ("position");

ALTER TABLE ONLY public.judging_eventseal
    ADD CONSTRAINT judging_eventseal_previous_key UNIQUE (previous);

ALTER TABLE ONLY public.judging_exclusion
    ADD CONSTRAINT judging_exclusion_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_exercise
    ADD CONSTRAINT judging_exercise_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_exercisekey
    ADD CONSTRAINT judging_exercisekey_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_exitanswer
    ADD CONSTRAINT judging_exitanswer_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_exitquestion
    ADD CONSTRAINT judging_exitquestion_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_filledblank
    ADD CONSTRAINT judging_filledblank_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_guidelineversion
    ADD CONSTRAINT judging_guidelineversion_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_idempotentrequest
    ADD CONSTRAINT judging_idempotentrequest_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_invitation
    ADD CONSTRAINT judging_invitation_digest_59a879d3_uniq UNIQUE (digest);

ALTER TABLE ONLY public.judging_invitation
    ADD CONSTRAINT judging_invitation_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_job
    ADD CONSTRAINT judging_job_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_judgekey
    ADD CONSTRAINT judging_judgekey_pkey PRIMARY KEY (job_id);

ALTER TABLE ONLY public.judging_judgment
    ADD CONSTRAINT judging_judgment_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_judgmentattribute
    ADD CONSTRAINT judging_judgmentattribute_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_loginattempts
    ADD CONSTRAINT judging_loginattempts_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.judging_machinejudge
    ADD CONSTRAINT judging_machinejudge_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_machinejudgment
    ADD CONSTRAINT judging_machinejudgment_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_marking
    ADD CONSTRAINT judging_marking_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_membership
    ADD CONSTRAINT judging_membership_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_metric
    ADD CONSTRAINT judging_metric_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_note
    ADD CONSTRAINT judging_note_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_participation
    ADD CONSTRAINT judging_participation_enrollment_id_key UNIQUE (enrollment_id);

ALTER TABLE ONLY public.judging_participation
    ADD CONSTRAINT judging_participation_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_passage
    ADD CONSTRAINT judging_passage_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_qualificationtry
    ADD CONSTRAINT judging_qualificationtry_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_quarantine
    ADD CONSTRAINT judging_quarantine_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_question
    ADD CONSTRAINT judging_question_pkey PRIMARY KEY (unit_id);

ALTER TABLE ONLY public.judging_questionset
    ADD CONSTRAINT judging_questionset_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_reference
    ADD CONSTRAINT judging_reference_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_round
    ADD CONSTRAINT judging_round_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_rubric
    ADD CONSTRAINT judging_rubric_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_rubricdraft
    ADD CONSTRAINT judging_rubricdraft_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_scalepoint
    ADD CONSTRAINT judging_scalepoint_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_score
    ADD CONSTRAINT judging_score_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_secondfactor
    ADD CONSTRAINT judging_secondfactor_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_secondfactor
    ADD CONSTRAINT judging_secondfactor_user_id_key UNIQUE (user_id);

ALTER TABLE ONLY public.judging_selectedunit
    ADD CONSTRAINT judging_selectedunit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_settledvalue
    ADD CONSTRAINT judging_settledvalue_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_snapshot
    ADD CONSTRAINT judging_snapshot_pkey PRIMARY KEY (campaign_id);

ALTER TABLE ONLY public.judging_source
    ADD CONSTRAINT judging_source_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_spanmark
    ADD CONSTRAINT judging_spanmark_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_storedfile
    ADD CONSTRAINT judging_storedfile_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_storedfile
    ADD CONSTRAINT judging_storedfile_sha256_key UNIQUE (sha256);

ALTER TABLE ONLY public.judging_storedpart
    ADD CONSTRAINT judging_storedpart_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_system
    ADD CONSTRAINT judging_system_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_systemauthor
    ADD CONSTRAINT judging_systemauthor_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_systemchange
    ADD CONSTRAINT judging_systemchange_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_task
    ADD CONSTRAINT judging_task_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_taskunit
    ADD CONSTRAINT judging_taskunit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_trainedexercise
    ADD CONSTRAINT judging_trainedexercise_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_tryanswer
    ADD CONSTRAINT judging_tryanswer_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_unit
    ADD CONSTRAINT judging_unit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_user_groups
    ADD CONSTRAINT judging_user_groups_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_user_groups
    ADD CONSTRAINT judging_user_groups_user_id_group_id_00ffb3d6_uniq UNIQUE (user_id, group_id);

ALTER TABLE ONLY public.judging_user
    ADD CONSTRAINT judging_user_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_user_user_permissions
    ADD CONSTRAINT judging_user_user_permis_user_id_permission_id_d7e92c1d_uniq UNIQUE (user_id, permission_id);

ALTER TABLE ONLY public.judging_user_user_permissions
    ADD CONSTRAINT judging_user_user_permissions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_user
    ADD CONSTRAINT judging_user_username_key UNIQUE (username);

ALTER TABLE ONLY public.judging_visit
    ADD CONSTRAINT judging_visit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_visit
    ADD CONSTRAINT judging_visit_session_key_key UNIQUE (session_key);

ALTER TABLE ONLY public.judging_webhook
    ADD CONSTRAINT judging_webhook_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_webhookdelivery
    ADD CONSTRAINT judging_webhookdelivery_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.judging_workerpresence
    ADD CONSTRAINT judging_workerpresence_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.judging_judgmentattribute
    ADD CONSTRAINT judgment_attribute_once UNIQUE (judgment_id, name);

ALTER TABLE ONLY public.judging_judgment
    ADD CONSTRAINT judgment_revision UNIQUE (assignment_id, unit_id, criterion_id, revision);

ALTER TABLE ONLY public.analysis_keptexample
    ADD CONSTRAINT kept_example_once UNIQUE (campaign_id, unit_id);

ALTER TABLE ONLY public.judging_machinejudge
    ADD CONSTRAINT machine_judge_name UNIQUE (campaign_id, name);

ALTER TABLE ONLY public.judging_machinejudgment
    ADD CONSTRAINT machine_judgment_once UNIQUE (judge_id, unit_id, criterion_id, repeat);

ALTER TABLE ONLY public.judging_marking
    ADD CONSTRAINT marking_once UNIQUE (assignment_id, unit_id);

ALTER TABLE ONLY public.judging_membership
    ADD CONSTRAINT membership_once UNIQUE (user_id, campaign_id, role);

ALTER TABLE ONLY public.judging_metric
    ADD CONSTRAINT metric_fingerprint UNIQUE (collection_id, fingerprint);

ALTER TABLE ONLY public.judging_note
    ADD CONSTRAINT note_once UNIQUE NULLS NOT DISTINCT (assignment_id, unit_id);

ALTER TABLE ONLY public.judging_passage
    ADD CONSTRAINT passage_once UNIQUE (collection_id, digest);

ALTER TABLE ONLY public.judging_qualificationtry
    ADD CONSTRAINT qualification_try_number UNIQUE (enrollment_id, number);

ALTER TABLE ONLY public.judging_questionset
    ADD CONSTRAINT question_set_once UNIQUE (source_id, system_id);

ALTER TABLE ONLY public.judging_reference
    ADD CONSTRAINT reference_position UNIQUE (source_id, "position");

ALTER TABLE ONLY public.analysis_reportpage
    ADD CONSTRAINT report_page_once UNIQUE (run_id, language);

ALTER TABLE ONLY public.analysis_result
    ADD CONSTRAINT result_key UNIQUE (run_id, key);

ALTER TABLE ONLY public.judging_round
    ADD CONSTRAINT round_once UNIQUE (campaign_id, kind, number);

ALTER TABLE ONLY public.judging_rubric
    ADD CONSTRAINT rubric_once UNIQUE NULLS NOT DISTINCT (key, version, digest, owner_id);

ALTER TABLE ONLY public.analysis_run
    ADD CONSTRAINT run_number UNIQUE (campaign_id, number);

ALTER TABLE ONLY public.judging_scalepoint
    ADD CONSTRAINT scale_point_value UNIQUE (criterion_id, value);

ALTER TABLE ONLY public.judging_selectedunit
    ADD CONSTRAINT selected_unit_once UNIQUE (campaign_id, unit_id);

ALTER TABLE ONLY public.judging_source
    ADD CONSTRAINT source_key UNIQUE (collection_id, key);

ALTER TABLE ONLY public.judging_source
    ADD CONSTRAINT source_position UNIQUE (collection_id, "position");

ALTER TABLE ONLY public.judging_spanmark
    ADD CONSTRAINT span_mark_once UNIQUE (assignment_id, unit_id, start, "end");

ALTER TABLE ONLY public.judging_storedpart
    ADD CONSTRAINT stored_part_once UNIQUE (file_id, number);

ALTER TABLE ONLY public.judging_systemauthor
    ADD CONSTRAINT system_author_once UNIQUE (enrollment_id, system_id);

ALTER TABLE ONLY public.judging_system
    ADD CONSTRAINT system_name UNIQUE (collection_id, name);

ALTER TABLE ONLY public.judging_task
    ADD CONSTRAINT task_number UNIQUE (round_id, number);

ALTER TABLE ONLY public.judging_taskunit
    ADD CONSTRAINT task_unit_once UNIQUE (task_id, unit_id);

ALTER TABLE ONLY public.judging_taskunit
    ADD CONSTRAINT task_unit_position UNIQUE (task_id, "position");

ALTER TABLE ONLY public.judging_trainedexercise
    ADD CONSTRAINT trained_exercise_once UNIQUE (enrollment_id, exercise_id);

ALTER TABLE ONLY public.judging_tryanswer
    ADD CONSTRAINT try_answer_once UNIQUE (attempt_id, exercise_id, criterion_id);

ALTER TABLE ONLY public.judging_unit
    ADD CONSTRAINT unit_once UNIQUE NULLS NOT DISTINCT (question_set_id, "position");

CREATE UNIQUE INDEX added_file_once ON public.judging_addedfile USING btree (collection_id, file_id) WHERE (NOT ((state)::text = 'taken_back'::text));

CREATE INDEX analysis_keptexample_campaign_id_23c217b4 ON public.analysis_keptexample USING btree (campaign_id);

CREATE INDEX analysis_keptexample_kept_by_id_5de6319b ON public.analysis_keptexample USING btree (kept_by_id);

CREATE INDEX analysis_result_file_id_108293ef ON public.analysis_result USING btree (file_id);

CREATE INDEX analysis_run_campaign_id_c534c3d8 ON public.analysis_run USING btree (campaign_id);

CREATE INDEX assignment_counts ON public.judging_assignment USING btree (round_id, state);

CREATE INDEX assignment_done_by ON public.judging_assignment USING btree (enrollment_id, round_id, submitted_at) WHERE (submitted_at IS NOT NULL);

CREATE INDEX assignment_leases ON public.judging_assignment USING btree (lease_expires_at) WHERE ((state)::text = 'held'::text);

CREATE INDEX assignment_left_by ON public.judging_assignment USING btree (enrollment_id, round_id) WHERE ((state)::text = 'released'::text);

CREATE UNIQUE INDEX assignment_one_held ON public.judging_assignment USING btree (enrollment_id, round_id) WHERE ((state)::text = 'held'::text);

CREATE INDEX assignment_open_places ON public.judging_assignment USING btree (round_id, "position") WHERE ((state)::text = 'open'::text);

CREATE UNIQUE INDEX assignment_place_once ON public.judging_assignment USING btree (task_id, place) WHERE ((state)::text = ANY ((ARRAY['open'::character varying, 'held'::character varying, 'submitted'::character varying])::text[]));

CREATE INDEX assignment_reopened_places ON public.judging_assignment USING btree (round_id, "position") WHERE (reopened AND ((state)::text = 'open'::text));

CREATE INDEX assignment_reserved_places ON public.judging_assignment USING btree (round_id, seat) WHERE ((seat IS NOT NULL) AND ((state)::text = 'open'::text));

CREATE INDEX assignment_seen_again ON public.judging_assignment USING btree (enrollment_id) WHERE ((last_seen_at > submitted_at) AND (submitted_at IS NOT NULL));

CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);

CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);

CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);

CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);

CREATE UNIQUE INDEX check_task_item_once ON public.judging_checktask USING btree (enrollment_id, item_id) WHERE (item_id IS NOT NULL);

CREATE UNIQUE INDEX check_task_repeat_once ON public.judging_checktask USING btree (enrollment_id, of_task_id) WHERE ((kind)::text = 'repeat'::text);

CREATE INDEX collection_by_file ON public.judging_collection USING btree (owner_id, file_sha256);

CREATE INDEX crowd_event_session ON public.judging_crowdevent USING btree (platform_id, session);

CREATE INDEX django_session_expire_date_a5c62663 ON public.django_session USING btree (expire_date);

CREATE INDEX django_session_session_key_c0390e0f_like ON public.django_session USING btree (session_key varchar_pattern_ops);

CREATE UNIQUE INDEX enrollment_pseudonym ON public.judging_enrollment USING btree (campaign_id, pseudonym) WHERE (NOT ((pseudonym)::text = ''::text));

CREATE INDEX event_of_campaign ON public.judging_event USING btree (campaign, id) WHERE (campaign IS NOT NULL);

CREATE UNIQUE INDEX exclusion_one_standing ON public.judging_exclusion USING btree (enrollment_id) WHERE (lifted_at IS NULL);

CREATE INDEX job_unfinished ON public.judging_job USING btree (state, heartbeat_at) WHERE ((state)::text = ANY ((ARRAY['queued'::character varying, 'running'::character varying])::text[]));

CREATE INDEX judging_acceptedvalue_criterion_id_68cb6ee7 ON public.judging_acceptedvalue USING btree (criterion_id);

CREATE INDEX judging_acceptedvalue_item_id_99a8b6c3 ON public.judging_acceptedvalue USING btree (item_id);

CREATE INDEX judging_accesskey_digest_136d280b_like ON public.judging_accesskey USING btree (digest varchar_pattern_ops);

CREATE INDEX judging_addedfile_added_by_id_34799d7b ON public.judging_addedfile USING btree (added_by_id);

CREATE INDEX judging_addedfile_campaign_id_e8162205 ON public.judging_addedfile USING btree (campaign_id);

CREATE INDEX judging_addedfile_file_id_8d4080ab ON public.judging_addedfile USING btree (file_id);

CREATE INDEX judging_addedfile_rubric_id_2916258f ON public.judging_addedfile USING btree (rubric_id);

CREATE INDEX judging_addedfile_taken_back_by_id_a6893971 ON public.judging_addedfile USING btree (taken_back_by_id);

CREATE INDEX judging_adjudication_adjudicator_id_48b83b74 ON public.judging_adjudication USING btree (adjudicator_id);

CREATE INDEX judging_barredtask_task_id_c54b67e2 ON public.judging_barredtask USING btree (task_id);

CREATE INDEX judging_campaign_collection_id_6a553149 ON public.judging_campaign USING btree (collection_id);

CREATE INDEX judging_campaign_created_by_id_df99a8e3 ON public.judging_campaign USING btree (created_by_id);

CREATE INDEX judging_campaign_reproduces_id_4d6a4f75 ON public.judging_campaign USING btree (reproduces_id);

CREATE INDEX judging_campaign_rubric_id_50c28f86 ON public.judging_campaign USING btree (rubric_id);

CREATE INDEX judging_checkitem_campaign_id_36a09c03 ON public.judging_checkitem USING btree (campaign_id);

CREATE INDEX judging_checkitem_original_id_d5920372 ON public.judging_checkitem USING btree (original_id);

CREATE INDEX judging_checktask_enrollment_id_0063a85e ON public.judging_checktask USING btree (enrollment_id);

CREATE INDEX judging_checktask_item_id_9edccfc8 ON public.judging_checktask USING btree (item_id);

CREATE INDEX judging_checktask_of_task_id_2c9f3f35 ON public.judging_checktask USING btree (of_task_id);

CREATE INDEX judging_collection_checks_of_id_e9080bfc ON public.judging_collection USING btree (checks_of_id);

CREATE INDEX judging_collection_file_id_c4be4d40 ON public.judging_collection USING btree (file_id);

CREATE INDEX judging_collection_owner_id_d3c10231 ON public.judging_collection USING btree (owner_id);

CREATE INDEX judging_collectionshare_collection_id_ccc613be ON public.judging_collectionshare USING btree (collection_id);

CREATE INDEX judging_collectionshare_user_id_ff463cc3 ON public.judging_collectionshare USING btree (user_id);

CREATE INDEX judging_criterion_key_76b2ad97 ON public.judging_criterion USING btree (key);

CREATE INDEX judging_criterion_key_76b2ad97_like ON public.judging_criterion USING btree (key varchar_pattern_ops);

CREATE INDEX judging_criterion_rubric_id_cb5b3042 ON public.judging_criterion USING btree (rubric_id);

CREATE INDEX judging_crowdevent_participation_id_81356506 ON public.judging_crowdevent USING btree (participation_id);

CREATE INDEX judging_crowdevent_platform_id_b48f4854 ON public.judging_crowdevent USING btree (platform_id);

CREATE INDEX judging_crowdplatform_key_619103be_like ON public.judging_crowdplatform USING btree (key varchar_pattern_ops);

CREATE INDEX judging_deviation_campaign_id_ef761ab1 ON public.judging_deviation USING btree (campaign_id);

CREATE INDEX judging_deviation_made_by_id_9536cbfa ON public.judging_deviation USING btree (made_by_id);

CREATE INDEX judging_discussionnote_criterion_id_174e4c33 ON public.judging_discussionnote USING btree (criterion_id);

CREATE INDEX judging_discussionnote_unit_id_160dbc99 ON public.judging_discussionnote USING btree (unit_id);

CREATE INDEX judging_discussionnote_written_by_id_7b14e12c ON public.judging_discussionnote USING btree (written_by_id);

CREATE INDEX judging_draft_unit_id_a0ed7cd6 ON public.judging_draft USING btree (unit_id);

CREATE INDEX judging_dryrun_draft_id_5892f52b ON public.judging_dryrun USING btree (draft_id);

CREATE INDEX judging_enrollment_campaign_id_ee7d0c48 ON public.judging_enrollment USING btree (campaign_id);

CREATE INDEX judging_enrollment_invitation_id_b8ec9ce7 ON public.judging_enrollment USING btree (invitation_id);

CREATE INDEX judging_enrollment_twin_of_id_b621362e ON public.judging_enrollment USING btree (twin_of_id);

CREATE INDEX judging_enrollment_user_id_1e06ebbc ON public.judging_enrollment USING btree (user_id);

CREATE INDEX judging_erasure_campaign_id_aea399b7 ON public.judging_erasure USING btree (campaign_id);

CREATE INDEX judging_erasure_erased_by_id_6a8de0b4 ON public.judging_erasure USING btree (erased_by_id);

CREATE INDEX judging_eventseal_digest_abef03ce_like ON public.judging_eventseal USING btree (digest varchar_pattern_ops);

CREATE INDEX judging_eventseal_previous_20f4be3e_like ON public.judging_eventseal USING btree (previous varchar_pattern_ops);

CREATE INDEX judging_exclusion_enrollment_id_94012ea9 ON public.judging_exclusion USING btree (enrollment_id);

CREATE INDEX judging_exclusion_excluded_by_id_a4754589 ON public.judging_exclusion USING btree (excluded_by_id);

CREATE INDEX judging_exclusion_lifted_by_id_cf3295bf ON public.judging_exclusion USING btree (lifted_by_id);

CREATE INDEX judging_exercise_repeats_id_84a0f28d ON public.judging_exercise USING btree (repeats_id);

CREATE INDEX judging_exercisekey_criterion_id_733c1c8c ON public.judging_exercisekey USING btree (criterion_id);

CREATE INDEX judging_exitanswer_question_id_6a563778 ON public.judging_exitanswer USING btree (question_id);

CREATE INDEX judging_filledblank_added_file_id_b52a9e30 ON public.judging_filledblank USING btree (added_file_id);

CREATE INDEX judging_filledblank_source_id_85d30d80 ON public.judging_filledblank USING btree (source_id);

CREATE INDEX judging_guidelineversion_round_id_d9347a5c ON public.judging_guidelineversion USING btree (round_id);

CREATE INDEX judging_guidelineversion_written_by_id_83dd49f7 ON public.judging_guidelineversion USING btree (written_by_id);

CREATE INDEX judging_idempotentrequest_created_at_e9850eea ON public.judging_idempotentrequest USING btree (created_at);

CREATE INDEX judging_idempotentrequest_user_id_422eb18e ON public.judging_idempotentrequest USING btree (user_id);

CREATE INDEX judging_invitation_campaign_id_295320eb ON public.judging_invitation USING btree (campaign_id);

CREATE INDEX judging_invitation_created_by_id_ebdbd73e ON public.judging_invitation USING btree (created_by_id);

CREATE INDEX judging_invitation_digest_59a879d3_like ON public.judging_invitation USING btree (digest varchar_pattern_ops);

CREATE INDEX judging_job_campaign_id_5fc87c31 ON public.judging_job USING btree (campaign_id);

CREATE INDEX judging_job_collection_id_73f13b5a ON public.judging_job USING btree (collection_id);

CREATE INDEX judging_job_created_by_id_152d7a72 ON public.judging_job USING btree (created_by_id);

CREATE INDEX judging_job_parent_id_d1125caf ON public.judging_job USING btree (parent_id);

CREATE INDEX judging_judgment_unit_id_9de88984 ON public.judging_judgment USING btree (unit_id);

CREATE INDEX judging_loginattempts_key_093db03b_like ON public.judging_loginattempts USING btree (key varchar_pattern_ops);

CREATE INDEX judging_loginattempts_last_at_a55c87fe ON public.judging_loginattempts USING btree (last_at);

CREATE INDEX judging_machinejudge_campaign_id_f16f291f ON public.judging_machinejudge USING btree (campaign_id);

CREATE INDEX judging_machinejudge_created_by_id_3b1ec0f0 ON public.judging_machinejudge USING btree (created_by_id);

CREATE INDEX judging_machinejudge_file_id_8b026e67 ON public.judging_machinejudge USING btree (file_id);

CREATE INDEX judging_machinejudgment_unit_id_bcd9af25 ON public.judging_machinejudgment USING btree (unit_id);

CREATE INDEX judging_marking_unit_id_32e1da7b ON public.judging_marking USING btree (unit_id);

CREATE INDEX judging_membership_campaign_id_f8a943d2 ON public.judging_membership USING btree (campaign_id);

CREATE INDEX judging_membership_user_id_ea442d49 ON public.judging_membership USING btree (user_id);

CREATE INDEX judging_note_unit_id_619dffea ON public.judging_note USING btree (unit_id);

CREATE INDEX judging_participation_platform_id_5be60a8f ON public.judging_participation USING btree (platform_id);

CREATE INDEX judging_quarantine_collection_id_4440fa60 ON public.judging_quarantine USING btree (collection_id);

CREATE INDEX judging_questionset_system_id_60dffd5c ON public.judging_questionset USING btree (system_id);

CREATE INDEX judging_round_campaign_id_55133891 ON public.judging_round USING btree (campaign_id);

CREATE INDEX judging_rubric_key_04bdd896 ON public.judging_rubric USING btree (key);

CREATE INDEX judging_rubric_key_04bdd896_like ON public.judging_rubric USING btree (key varchar_pattern_ops);

CREATE INDEX judging_rubric_owner_id_8af8132e ON public.judging_rubric USING btree (owner_id);

CREATE INDEX judging_rubricdraft_owner_id_ceb77e9a ON public.judging_rubricdraft USING btree (owner_id);

CREATE INDEX judging_scalepoint_criterion_id_b23c4769 ON public.judging_scalepoint USING btree (criterion_id);

CREATE INDEX judging_score_system_id_4f01d2f0 ON public.judging_score USING btree (system_id);

CREATE INDEX judging_score_unit_id_57120965 ON public.judging_score USING btree (unit_id);

CREATE INDEX judging_selectedunit_unit_id_81f9e5ae ON public.judging_selectedunit USING btree (unit_id);

CREATE INDEX judging_settledvalue_settled_by_id_edfe7d4a ON public.judging_settledvalue USING btree (settled_by_id);

CREATE INDEX judging_settledvalue_unit_id_3a67af1a ON public.judging_settledvalue USING btree (unit_id);

CREATE INDEX judging_source_passage_id_64b2d3d9 ON public.judging_source USING btree (passage_id);

CREATE INDEX judging_spanmark_unit_id_fa2b0482 ON public.judging_spanmark USING btree (unit_id);

CREATE INDEX judging_storedfile_sha256_dc382960_like ON public.judging_storedfile USING btree (sha256 varchar_pattern_ops);

CREATE INDEX judging_systemauthor_system_id_c98afee4 ON public.judging_systemauthor USING btree (system_id);

CREATE INDEX judging_systemchange_collection_id_202eef7c ON public.judging_systemchange USING btree (collection_id);

CREATE INDEX judging_systemchange_made_by_id_b4fc95de ON public.judging_systemchange USING btree (made_by_id);

CREATE INDEX judging_taskunit_unit_id_549cc217 ON public.judging_taskunit USING btree (unit_id);

CREATE INDEX judging_trainedexercise_enrollment_id_f622312b ON public.judging_trainedexercise USING btree (enrollment_id);

CREATE INDEX judging_trainedexercise_exercise_id_cbc8cb31 ON public.judging_trainedexercise USING btree (exercise_id);

CREATE INDEX judging_tryanswer_exercise_id_c9693e75 ON public.judging_tryanswer USING btree (exercise_id);

CREATE INDEX judging_user_groups_group_id_1cabc5f4 ON public.judging_user_groups USING btree (group_id);

CREATE INDEX judging_user_groups_user_id_516c4fc2 ON public.judging_user_groups USING btree (user_id);

CREATE INDEX judging_user_user_permissions_permission_id_d5a0cd96 ON public.judging_user_user_permissions USING btree (permission_id);

CREATE INDEX judging_user_user_permissions_user_id_35ff6cfa ON public.judging_user_user_permissions USING btree (user_id);

CREATE INDEX judging_user_username_b5512b4b_like ON public.judging_user USING btree (username varchar_pattern_ops);

CREATE INDEX judging_visit_seen_at_f47d68fd ON public.judging_visit USING btree (seen_at);

CREATE INDEX judging_visit_session_key_2e0d7f3b_like ON public.judging_visit USING btree (session_key varchar_pattern_ops);

CREATE INDEX judging_visit_user_id_5c216c26 ON public.judging_visit USING btree (user_id);

CREATE INDEX judging_webhook_campaign_id_ec173b5a ON public.judging_webhook USING btree (campaign_id);

CREATE INDEX judging_webhook_created_by_id_5de71e61 ON public.judging_webhook USING btree (created_by_id);

CREATE INDEX judging_webhookdelivery_webhook_id_ba74bca8 ON public.judging_webhookdelivery USING btree (webhook_id);

CREATE INDEX judging_workerpresence_name_3ee47d82_like ON public.judging_workerpresence USING btree (name varchar_pattern_ops);

CREATE UNIQUE INDEX judgment_once ON public.judging_judgment USING btree (assignment_id, unit_id, criterion_id) WHERE (superseded_at IS NULL);

CREATE UNIQUE INDEX participation_once ON public.judging_participation USING btree (platform_id, person) WHERE (NOT ((("end")::text = 'quota_full'::text) AND (enrollment_id IS NULL)));

CREATE INDEX participation_reserved ON public.judging_participation USING btree (reserved_until) WHERE (reserved_until IS NOT NULL);

CREATE INDEX participation_session ON public.judging_participation USING btree (platform_id, session);

CREATE UNIQUE INDEX participation_turned_away_once ON public.judging_participation USING btree (platform_id, person, session) WHERE ((("end")::text = 'quota_full'::text) AND (enrollment_id IS NULL));

CREATE UNIQUE INDEX round_one_main ON public.judging_round USING btree (campaign_id) WHERE ((kind)::text = 'main'::text);

CREATE UNIQUE INDEX score_once_per_system ON public.judging_score USING btree (metric_id, system_id) WHERE (system_id IS NOT NULL);

CREATE UNIQUE INDEX score_once_per_unit ON public.judging_score USING btree (metric_id, unit_id) INCLUDE (value) WHERE (unit_id IS NOT NULL);

CREATE UNIQUE INDEX settled_value_once ON public.judging_settledvalue USING btree (campaign_id, unit_id, criterion_id) WHERE (superseded_at IS NULL);

CREATE UNIQUE INDEX source_repeat_once ON public.judging_source USING btree (repeat_of_id, repeat) WHERE (repeat_of_id IS NOT NULL);

CREATE INDEX webhook_delivery_due ON public.judging_webhookdelivery USING btree (next_attempt_at) WHERE ((state)::text = 'waiting'::text);

CREATE INDEX webhook_delivery_log ON public.judging_webhookdelivery USING btree (webhook_id, created_at DESC);

CREATE TRIGGER campaign_stays BEFORE UPDATE OF campaign_id ON public.judging_round FOR EACH ROW WHEN ((new.campaign_id IS DISTINCT FROM old.campaign_id)) EXECUTE FUNCTION public.judging_belongs_for_good();

CREATE TRIGGER criterion_immutable BEFORE UPDATE ON public.judging_criterion FOR EACH ROW EXECUTE FUNCTION public.judging_rubric_immutable();

CREATE TRIGGER event_append_only BEFORE DELETE OR UPDATE ON public.judging_event FOR EACH ROW EXECUTE FUNCTION public.judging_event_append_only();

CREATE CONSTRAINT TRIGGER event_seal AFTER INSERT ON public.judging_event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.judging_event_seal();

CREATE TRIGGER event_seal_append_only BEFORE DELETE OR UPDATE ON public.judging_eventseal FOR EACH ROW EXECUTE FUNCTION public.judging_event_append_only();

CREATE TRIGGER event_time BEFORE INSERT ON public.judging_event FOR EACH ROW EXECUTE FUNCTION public.judging_event_time();

CREATE TRIGGER job_forgets_judge_key AFTER UPDATE OF state ON public.judging_job FOR EACH ROW WHEN (((new.state)::text = ANY ((ARRAY['done'::character varying, 'failed'::character varying, 'cancelled'::character varying])::text[]))) EXECUTE FUNCTION public.judging_forget_judge_key();

CREATE TRIGGER judgment_append_only BEFORE DELETE OR UPDATE ON public.judging_judgment FOR EACH ROW EXECUTE FUNCTION public.judging_judgment_append_only();

CREATE TRIGGER nobody_in_dry_run BEFORE INSERT OR UPDATE OF user_id, campaign_id ON public.judging_enrollment FOR EACH ROW EXECUTE FUNCTION public.judging_nobody_in_dry_run();

CREATE TRIGGER origin_stays BEFORE UPDATE OF origin ON public.judging_campaign FOR EACH ROW WHEN (((new.origin)::text IS DISTINCT FROM (old.origin)::text)) EXECUTE FUNCTION public.judging_origin_stays();

CREATE TRIGGER round_stays BEFORE UPDATE OF round_id ON public.judging_assignment FOR EACH ROW WHEN ((new.round_id IS DISTINCT FROM old.round_id)) EXECUTE FUNCTION public.judging_belongs_for_good();

CREATE TRIGGER rubric_immutable BEFORE UPDATE ON public.judging_rubric FOR EACH ROW EXECUTE FUNCTION public.judging_rubric_immutable();

CREATE TRIGGER scale_point_immutable BEFORE UPDATE ON public.judging_scalepoint FOR EACH ROW EXECUTE FUNCTION public.judging_rubric_immutable();

ALTER TABLE ONLY public.judging_acceptedvalue
    ADD CONSTRAINT accepted_value_on_scale FOREIGN KEY (criterion_id, value) REFERENCES public.judging_scalepoint(criterion_id, value);

ALTER TABLE ONLY public.analysis_keptexample
    ADD CONSTRAINT analysis_keptexample_campaign_id_23c217b4_fk_judging_c FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.analysis_keptexample
    ADD CONSTRAINT analysis_keptexample_kept_by_id_5de6319b_fk_judging_user_id FOREIGN KEY (kept_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.analysis_reportpage
    ADD CONSTRAINT analysis_reportpage_run_id_0354d75c_fk_analysis_run_id FOREIGN KEY (run_id) REFERENCES public.analysis_run(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.analysis_result
    ADD CONSTRAINT analysis_result_file_id_108293ef_fk_judging_storedfile_id FOREIGN KEY (file_id) REFERENCES public.judging_storedfile(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.analysis_result
    ADD CONSTRAINT analysis_result_run_id_3f1aab25_fk_analysis_run_id FOREIGN KEY (run_id) REFERENCES public.analysis_run(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.analysis_run
    ADD CONSTRAINT analysis_run_campaign_id_c534c3d8_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.analysis_run
    ADD CONSTRAINT analysis_run_job_id_ba4c36ae_fk_judging_job_id FOREIGN KEY (job_id) REFERENCES public.judging_job(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_draft
    ADD CONSTRAINT draft_value_on_scale FOREIGN KEY (criterion_id, value) REFERENCES public.judging_scalepoint(criterion_id, value);

ALTER TABLE ONLY public.judging_acceptedvalue
    ADD CONSTRAINT judging_acceptedvalu_criterion_id_68cb6ee7_fk_judging_c FOREIGN KEY (criterion_id) REFERENCES public.judging_criterion(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_acceptedvalue
    ADD CONSTRAINT judging_acceptedvalue_item_id_99a8b6c3_fk_judging_checkitem_id FOREIGN KEY (item_id) REFERENCES public.judging_checkitem(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_accesskey
    ADD CONSTRAINT judging_accesskey_user_id_85955943_fk_judging_user_id FOREIGN KEY (user_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_addedfile
    ADD CONSTRAINT judging_addedfile_added_by_id_34799d7b_fk_judging_user_id FOREIGN KEY (added_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_addedfile
    ADD CONSTRAINT judging_addedfile_campaign_id_e8162205_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_addedfile
    ADD CONSTRAINT judging_addedfile_collection_id_8c7ce7fd_fk_judging_c FOREIGN KEY (collection_id) REFERENCES public.judging_collection(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_addedfile
    ADD CONSTRAINT judging_addedfile_file_id_8d4080ab_fk_judging_storedfile_id FOREIGN KEY (file_id) REFERENCES public.judging_storedfile(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_addedfile
    ADD CONSTRAINT judging_addedfile_rubric_id_2916258f_fk_judging_rubric_id FOREIGN KEY (rubric_id) REFERENCES public.judging_rubric(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_addedfile
    ADD CONSTRAINT judging_addedfile_taken_back_by_id_a6893971_fk_judging_user_id FOREIGN KEY (taken_back_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_adjudication
    ADD CONSTRAINT judging_adjudication_adjudicator_id_48b83b74_fk_judging_user_id FOREIGN KEY (adjudicator_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_adjudication
    ADD CONSTRAINT judging_adjudication_campaign_id_5c3c604b_fk_judging_c FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_analysedagreement
    ADD CONSTRAINT judging_analysedagre_campaign_id_889b23a6_fk_judging_c FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_assignment
    ADD CONSTRAINT judging_assignment_enrollment_id_76149b95_fk_judging_e FOREIGN KEY (enrollment_id) REFERENCES public.judging_enrollment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_assignment
    ADD CONSTRAINT judging_assignment_round_id_d7bca146_fk_judging_round_id FOREIGN KEY (round_id) REFERENCES public.judging_round(id);

ALTER TABLE ONLY public.judging_assignment
    ADD CONSTRAINT judging_assignment_task_id_693930ff_fk_judging_task_id FOREIGN KEY (task_id) REFERENCES public.judging_task(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_attribute
    ADD CONSTRAINT judging_attribute_unit_id_f1305f8a_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_barredtask
    ADD CONSTRAINT judging_barredtask_enrollment_id_74e03608_fk_judging_e FOREIGN KEY (enrollment_id) REFERENCES public.judging_enrollment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_barredtask
    ADD CONSTRAINT judging_barredtask_task_id_c54b67e2_fk_judging_task_id FOREIGN KEY (task_id) REFERENCES public.judging_task(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_campaign
    ADD CONSTRAINT judging_campaign_collection_id_6a553149_fk_judging_c FOREIGN KEY (collection_id) REFERENCES public.judging_collection(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_campaign
    ADD CONSTRAINT judging_campaign_created_by_id_df99a8e3_fk_judging_user_id FOREIGN KEY (created_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_campaign
    ADD CONSTRAINT judging_campaign_reproduces_id_4d6a4f75_fk_judging_campaign_id FOREIGN KEY (reproduces_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_campaign
    ADD CONSTRAINT judging_campaign_rubric_id_50c28f86_fk_judging_rubric_id FOREIGN KEY (rubric_id) REFERENCES public.judging_rubric(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_checkitem
    ADD CONSTRAINT judging_checkitem_campaign_id_36a09c03_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_checkitem
    ADD CONSTRAINT judging_checkitem_original_id_d5920372_fk_judging_unit_id FOREIGN KEY (original_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_checkitem
    ADD CONSTRAINT judging_checkitem_unit_id_b098e81e_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_checktask
    ADD CONSTRAINT judging_checktask_enrollment_id_0063a85e_fk_judging_e FOREIGN KEY (enrollment_id) REFERENCES public.judging_enrollment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_checktask
    ADD CONSTRAINT judging_checktask_item_id_9edccfc8_fk_judging_checkitem_id FOREIGN KEY (item_id) REFERENCES public.judging_checkitem(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_checktask
    ADD CONSTRAINT judging_checktask_of_task_id_2c9f3f35_fk_judging_task_id FOREIGN KEY (of_task_id) REFERENCES public.judging_task(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_checktask
    ADD CONSTRAINT judging_checktask_task_id_9880c46e_fk_judging_task_id FOREIGN KEY (task_id) REFERENCES public.judging_task(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_collection
    ADD CONSTRAINT judging_collection_checks_of_id_e9080bfc_fk_judging_campaign_id FOREIGN KEY (checks_of_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_collection
    ADD CONSTRAINT judging_collection_file_id_c4be4d40_fk_judging_storedfile_id FOREIGN KEY (file_id) REFERENCES public.judging_storedfile(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_collection
    ADD CONSTRAINT judging_collection_owner_id_d3c10231_fk_judging_user_id FOREIGN KEY (owner_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_collectionshare
    ADD CONSTRAINT judging_collectionsh_collection_id_ccc613be_fk_judging_c FOREIGN KEY (collection_id) REFERENCES public.judging_collection(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_collectionshare
    ADD CONSTRAINT judging_collectionshare_user_id_ff463cc3_fk_judging_user_id FOREIGN KEY (user_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_criterion
    ADD CONSTRAINT judging_criterion_rubric_id_cb5b3042_fk_judging_rubric_id FOREIGN KEY (rubric_id) REFERENCES public.judging_rubric(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_crowdevent
    ADD CONSTRAINT judging_crowdevent_participation_id_81356506_fk_judging_p FOREIGN KEY (participation_id) REFERENCES public.judging_participation(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_crowdevent
    ADD CONSTRAINT judging_crowdevent_platform_id_b48f4854_fk_judging_c FOREIGN KEY (platform_id) REFERENCES public.judging_crowdplatform(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_crowdplatform
    ADD CONSTRAINT judging_crowdplatfor_campaign_id_f5e94c6f_fk_judging_c FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_deviation
    ADD CONSTRAINT judging_deviation_campaign_id_ef761ab1_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_deviation
    ADD CONSTRAINT judging_deviation_made_by_id_9536cbfa_fk_judging_user_id FOREIGN KEY (made_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_discussionnote
    ADD CONSTRAINT judging_discussionno_criterion_id_174e4c33_fk_judging_c FOREIGN KEY (criterion_id) REFERENCES public.judging_criterion(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_discussionnote
    ADD CONSTRAINT judging_discussionno_written_by_id_7b14e12c_fk_judging_u FOREIGN KEY (written_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_discussionnote
    ADD CONSTRAINT judging_discussionnote_round_id_9357eed1_fk_judging_round_id FOREIGN KEY (round_id) REFERENCES public.judging_round(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_discussionnote
    ADD CONSTRAINT judging_discussionnote_unit_id_160dbc99_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_draft
    ADD CONSTRAINT judging_draft_assignment_id_46534daf_fk_judging_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.judging_assignment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_draft
    ADD CONSTRAINT judging_draft_criterion_id_1e1a107b_fk_judging_criterion_id FOREIGN KEY (criterion_id) REFERENCES public.judging_criterion(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_draft
    ADD CONSTRAINT judging_draft_unit_id_a0ed7cd6_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_dryrun
    ADD CONSTRAINT judging_dryrun_campaign_id_697c40ce_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_dryrun
    ADD CONSTRAINT judging_dryrun_draft_id_5892f52b_fk_judging_campaign_id FOREIGN KEY (draft_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_enrollment
    ADD CONSTRAINT judging_enrollment_campaign_id_ee7d0c48_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_enrollment
    ADD CONSTRAINT judging_enrollment_cursor_round_id_db9ae50a_fk_judging_round_id FOREIGN KEY (cursor_round_id) REFERENCES public.judging_round(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_enrollment
    ADD CONSTRAINT judging_enrollment_invitation_id_b8ec9ce7_fk_judging_i FOREIGN KEY (invitation_id) REFERENCES public.judging_invitation(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_enrollment
    ADD CONSTRAINT judging_enrollment_twin_of_id_b621362e_fk_judging_enrollment_id FOREIGN KEY (twin_of_id) REFERENCES public.judging_enrollment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_enrollment
    ADD CONSTRAINT judging_enrollment_user_id_1e06ebbc_fk_judging_user_id FOREIGN KEY (user_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_erasure
    ADD CONSTRAINT judging_erasure_campaign_id_aea399b7_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_erasure
    ADD CONSTRAINT judging_erasure_erased_by_id_6a8de0b4_fk_judging_user_id FOREIGN KEY (erased_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_exclusion
    ADD CONSTRAINT judging_exclusion_enrollment_id_94012ea9_fk_judging_e FOREIGN KEY (enrollment_id) REFERENCES public.judging_enrollment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_exclusion
    ADD CONSTRAINT judging_exclusion_excluded_by_id_a4754589_fk_judging_user_id FOREIGN KEY (excluded_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_exclusion
    ADD CONSTRAINT judging_exclusion_lifted_by_id_cf3295bf_fk_judging_user_id FOREIGN KEY (lifted_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_exercise
    ADD CONSTRAINT judging_exercise_campaign_id_61bf6255_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_exercise
    ADD CONSTRAINT judging_exercise_repeats_id_84a0f28d_fk_judging_exercise_id FOREIGN KEY (repeats_id) REFERENCES public.judging_exercise(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_exercisekey
    ADD CONSTRAINT judging_exercisekey_criterion_id_733c1c8c_fk_judging_c FOREIGN KEY (criterion_id) REFERENCES public.judging_criterion(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_exercisekey
    ADD CONSTRAINT judging_exercisekey_exercise_id_3cc95457_fk_judging_exercise_id FOREIGN KEY (exercise_id) REFERENCES public.judging_exercise(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_exitanswer
    ADD CONSTRAINT judging_exitanswer_enrollment_id_05cc526b_fk_judging_e FOREIGN KEY (enrollment_id) REFERENCES public.judging_enrollment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_exitanswer
    ADD CONSTRAINT judging_exitanswer_question_id_6a563778_fk_judging_e FOREIGN KEY (question_id) REFERENCES public.judging_exitquestion(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_exitquestion
    ADD CONSTRAINT judging_exitquestion_campaign_id_b94ec505_fk_judging_c FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_filledblank
    ADD CONSTRAINT judging_filledblank_added_file_id_b52a9e30_fk_judging_a FOREIGN KEY (added_file_id) REFERENCES public.judging_addedfile(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_filledblank
    ADD CONSTRAINT judging_filledblank_source_id_85d30d80_fk_judging_source_id FOREIGN KEY (source_id) REFERENCES public.judging_source(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_guidelineversion
    ADD CONSTRAINT judging_guidelinever_campaign_id_6ad603f0_fk_judging_c FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_guidelineversion
    ADD CONSTRAINT judging_guidelinever_written_by_id_83dd49f7_fk_judging_u FOREIGN KEY (written_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_guidelineversion
    ADD CONSTRAINT judging_guidelineversion_round_id_d9347a5c_fk_judging_round_id FOREIGN KEY (round_id) REFERENCES public.judging_round(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_idempotentrequest
    ADD CONSTRAINT judging_idempotentrequest_user_id_422eb18e_fk_judging_user_id FOREIGN KEY (user_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_invitation
    ADD CONSTRAINT judging_invitation_campaign_id_295320eb_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_invitation
    ADD CONSTRAINT judging_invitation_created_by_id_ebdbd73e_fk_judging_user_id FOREIGN KEY (created_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_job
    ADD CONSTRAINT judging_job_campaign_id_5fc87c31_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_job
    ADD CONSTRAINT judging_job_collection_id_73f13b5a_fk_judging_collection_id FOREIGN KEY (collection_id) REFERENCES public.judging_collection(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_job
    ADD CONSTRAINT judging_job_created_by_id_152d7a72_fk_judging_user_id FOREIGN KEY (created_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_job
    ADD CONSTRAINT judging_job_parent_id_d1125caf_fk_judging_job_id FOREIGN KEY (parent_id) REFERENCES public.judging_job(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_judgekey
    ADD CONSTRAINT judging_judgekey_job_id_25cdecda_fk_judging_job_id FOREIGN KEY (job_id) REFERENCES public.judging_job(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_judgment
    ADD CONSTRAINT judging_judgment_assignment_id_8d97d527_fk_judging_a FOREIGN KEY (assignment_id) REFERENCES public.judging_assignment(id);

ALTER TABLE ONLY public.judging_judgment
    ADD CONSTRAINT judging_judgment_criterion_id_761567d2_fk_judging_criterion_id FOREIGN KEY (criterion_id) REFERENCES public.judging_criterion(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_judgment
    ADD CONSTRAINT judging_judgment_unit_id_9de88984_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_judgmentattribute
    ADD CONSTRAINT judging_judgmentattr_judgment_id_a6959967_fk_judging_j FOREIGN KEY (judgment_id) REFERENCES public.judging_judgment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_machinejudge
    ADD CONSTRAINT judging_machinejudge_campaign_id_f16f291f_fk_judging_c FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_machinejudge
    ADD CONSTRAINT judging_machinejudge_created_by_id_3b1ec0f0_fk_judging_user_id FOREIGN KEY (created_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_machinejudge
    ADD CONSTRAINT judging_machinejudge_file_id_8b026e67_fk_judging_storedfile_id FOREIGN KEY (file_id) REFERENCES public.judging_storedfile(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_machinejudgment
    ADD CONSTRAINT judging_machinejudgm_criterion_id_51d2e421_fk_judging_c FOREIGN KEY (criterion_id) REFERENCES public.judging_criterion(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_machinejudgment
    ADD CONSTRAINT judging_machinejudgm_judge_id_aa07d67c_fk_judging_m FOREIGN KEY (judge_id) REFERENCES public.judging_machinejudge(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_machinejudgment
    ADD CONSTRAINT judging_machinejudgment_unit_id_bcd9af25_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_marking
    ADD CONSTRAINT judging_marking_assignment_id_df14ad28_fk_judging_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.judging_assignment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_marking
    ADD CONSTRAINT judging_marking_unit_id_32e1da7b_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_membership
    ADD CONSTRAINT judging_membership_campaign_id_f8a943d2_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_membership
    ADD CONSTRAINT judging_membership_user_id_ea442d49_fk_judging_user_id FOREIGN KEY (user_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_metric
    ADD CONSTRAINT judging_metric_collection_id_846ffa1f_fk_judging_collection_id FOREIGN KEY (collection_id) REFERENCES public.judging_collection(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_note
    ADD CONSTRAINT judging_note_assignment_id_293615bf_fk_judging_assignment_id FOREIGN KEY (assignment_id) REFERENCES public.judging_assignment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_note
    ADD CONSTRAINT judging_note_unit_id_619dffea_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_participation
    ADD CONSTRAINT judging_participatio_enrollment_id_468c270e_fk_judging_e FOREIGN KEY (enrollment_id) REFERENCES public.judging_enrollment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_participation
    ADD CONSTRAINT judging_participatio_platform_id_5be60a8f_fk_judging_c FOREIGN KEY (platform_id) REFERENCES public.judging_crowdplatform(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_participation
    ADD CONSTRAINT judging_participation_round_id_1c791cc6_fk_judging_round_id FOREIGN KEY (round_id) REFERENCES public.judging_round(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_passage
    ADD CONSTRAINT judging_passage_collection_id_551ef8ed_fk_judging_collection_id FOREIGN KEY (collection_id) REFERENCES public.judging_collection(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_qualificationtry
    ADD CONSTRAINT judging_qualificatio_enrollment_id_7b28760a_fk_judging_e FOREIGN KEY (enrollment_id) REFERENCES public.judging_enrollment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_quarantine
    ADD CONSTRAINT judging_quarantine_collection_id_4440fa60_fk_judging_c FOREIGN KEY (collection_id) REFERENCES public.judging_collection(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_question
    ADD CONSTRAINT judging_question_unit_id_c3466577_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_questionset
    ADD CONSTRAINT judging_questionset_source_id_1416d9b8_fk_judging_source_id FOREIGN KEY (source_id) REFERENCES public.judging_source(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_questionset
    ADD CONSTRAINT judging_questionset_system_id_60dffd5c_fk_judging_system_id FOREIGN KEY (system_id) REFERENCES public.judging_system(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_reference
    ADD CONSTRAINT judging_reference_source_id_6af2925a_fk_judging_source_id FOREIGN KEY (source_id) REFERENCES public.judging_source(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_round
    ADD CONSTRAINT judging_round_campaign_id_55133891_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id);

ALTER TABLE ONLY public.judging_rubric
    ADD CONSTRAINT judging_rubric_owner_id_8af8132e_fk_judging_user_id FOREIGN KEY (owner_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_rubricdraft
    ADD CONSTRAINT judging_rubricdraft_owner_id_ceb77e9a_fk_judging_user_id FOREIGN KEY (owner_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_scalepoint
    ADD CONSTRAINT judging_scalepoint_criterion_id_b23c4769_fk_judging_c FOREIGN KEY (criterion_id) REFERENCES public.judging_criterion(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_score
    ADD CONSTRAINT judging_score_metric_id_6f42db37_fk_judging_metric_id FOREIGN KEY (metric_id) REFERENCES public.judging_metric(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_score
    ADD CONSTRAINT judging_score_system_id_4f01d2f0_fk_judging_system_id FOREIGN KEY (system_id) REFERENCES public.judging_system(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_score
    ADD CONSTRAINT judging_score_unit_id_57120965_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_secondfactor
    ADD CONSTRAINT judging_secondfactor_user_id_9b33a8bc_fk_judging_user_id FOREIGN KEY (user_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_selectedunit
    ADD CONSTRAINT judging_selectedunit_campaign_id_cfdd77ab_fk_judging_c FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_selectedunit
    ADD CONSTRAINT judging_selectedunit_unit_id_81f9e5ae_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_settledvalue
    ADD CONSTRAINT judging_settledvalue_campaign_id_c13d5b4a_fk_judging_c FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_settledvalue
    ADD CONSTRAINT judging_settledvalue_criterion_id_e14b8e0a_fk_judging_c FOREIGN KEY (criterion_id) REFERENCES public.judging_criterion(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_settledvalue
    ADD CONSTRAINT judging_settledvalue_settled_by_id_edfe7d4a_fk_judging_user_id FOREIGN KEY (settled_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_settledvalue
    ADD CONSTRAINT judging_settledvalue_unit_id_3a67af1a_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_snapshot
    ADD CONSTRAINT judging_snapshot_campaign_id_c11431e4_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_source
    ADD CONSTRAINT judging_source_collection_id_a2578f71_fk_judging_collection_id FOREIGN KEY (collection_id) REFERENCES public.judging_collection(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_source
    ADD CONSTRAINT judging_source_passage_id_64b2d3d9_fk_judging_passage_id FOREIGN KEY (passage_id) REFERENCES public.judging_passage(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_source
    ADD CONSTRAINT judging_source_repeat_of_id_7172e5fc_fk_judging_source_id FOREIGN KEY (repeat_of_id) REFERENCES public.judging_source(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_spanmark
    ADD CONSTRAINT judging_spanmark_assignment_id_e1da2c65_fk_judging_a FOREIGN KEY (assignment_id) REFERENCES public.judging_assignment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_spanmark
    ADD CONSTRAINT judging_spanmark_unit_id_fa2b0482_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_storedpart
    ADD CONSTRAINT judging_storedpart_file_id_280a265d_fk_judging_storedfile_id FOREIGN KEY (file_id) REFERENCES public.judging_storedfile(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_system
    ADD CONSTRAINT judging_system_collection_id_0a5a50a0_fk_judging_collection_id FOREIGN KEY (collection_id) REFERENCES public.judging_collection(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_systemauthor
    ADD CONSTRAINT judging_systemauthor_enrollment_id_56f4c2f3_fk_judging_e FOREIGN KEY (enrollment_id) REFERENCES public.judging_enrollment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_systemauthor
    ADD CONSTRAINT judging_systemauthor_system_id_c98afee4_fk_judging_system_id FOREIGN KEY (system_id) REFERENCES public.judging_system(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_systemchange
    ADD CONSTRAINT judging_systemchange_collection_id_202eef7c_fk_judging_c FOREIGN KEY (collection_id) REFERENCES public.judging_collection(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_systemchange
    ADD CONSTRAINT judging_systemchange_made_by_id_b4fc95de_fk_judging_user_id FOREIGN KEY (made_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_task
    ADD CONSTRAINT judging_task_round_id_38779fc4_fk_judging_round_id FOREIGN KEY (round_id) REFERENCES public.judging_round(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_taskunit
    ADD CONSTRAINT judging_taskunit_task_id_3b70c72f_fk_judging_task_id FOREIGN KEY (task_id) REFERENCES public.judging_task(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_taskunit
    ADD CONSTRAINT judging_taskunit_unit_id_549cc217_fk_judging_unit_id FOREIGN KEY (unit_id) REFERENCES public.judging_unit(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_trainedexercise
    ADD CONSTRAINT judging_trainedexerc_enrollment_id_f622312b_fk_judging_e FOREIGN KEY (enrollment_id) REFERENCES public.judging_enrollment(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_trainedexercise
    ADD CONSTRAINT judging_trainedexerc_exercise_id_cbc8cb31_fk_judging_e FOREIGN KEY (exercise_id) REFERENCES public.judging_exercise(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_tryanswer
    ADD CONSTRAINT judging_tryanswer_attempt_id_702653e1_fk_judging_q FOREIGN KEY (attempt_id) REFERENCES public.judging_qualificationtry(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_tryanswer
    ADD CONSTRAINT judging_tryanswer_criterion_id_fa9b3321_fk_judging_criterion_id FOREIGN KEY (criterion_id) REFERENCES public.judging_criterion(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_tryanswer
    ADD CONSTRAINT judging_tryanswer_exercise_id_c9693e75_fk_judging_exercise_id FOREIGN KEY (exercise_id) REFERENCES public.judging_exercise(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_unit
    ADD CONSTRAINT judging_unit_question_set_id_87fd19a5_fk_judging_questionset_id FOREIGN KEY (question_set_id) REFERENCES public.judging_questionset(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_user_groups
    ADD CONSTRAINT judging_user_groups_group_id_1cabc5f4_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_user_groups
    ADD CONSTRAINT judging_user_groups_user_id_516c4fc2_fk_judging_user_id FOREIGN KEY (user_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_user_user_permissions
    ADD CONSTRAINT judging_user_user_pe_permission_id_d5a0cd96_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_user_user_permissions
    ADD CONSTRAINT judging_user_user_pe_user_id_35ff6cfa_fk_judging_u FOREIGN KEY (user_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_visit
    ADD CONSTRAINT judging_visit_user_id_5c216c26_fk_judging_user_id FOREIGN KEY (user_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_webhook
    ADD CONSTRAINT judging_webhook_campaign_id_ec173b5a_fk_judging_campaign_id FOREIGN KEY (campaign_id) REFERENCES public.judging_campaign(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_webhook
    ADD CONSTRAINT judging_webhook_created_by_id_5de71e61_fk_judging_user_id FOREIGN KEY (created_by_id) REFERENCES public.judging_user(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_webhookdelivery
    ADD CONSTRAINT judging_webhookdeliv_webhook_id_ba74bca8_fk_judging_w FOREIGN KEY (webhook_id) REFERENCES public.judging_webhook(id) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.judging_judgment
    ADD CONSTRAINT judgment_value_on_scale FOREIGN KEY (criterion_id, value) REFERENCES public.judging_scalepoint(criterion_id, value);

ALTER TABLE ONLY public.judging_machinejudgment
    ADD CONSTRAINT machine_judgment_value_on_scale FOREIGN KEY (criterion_id, value) REFERENCES public.judging_scalepoint(criterion_id, value);

ALTER TABLE ONLY public.judging_settledvalue
    ADD CONSTRAINT settled_value_on_scale FOREIGN KEY (criterion_id, value) REFERENCES public.judging_scalepoint(criterion_id, value);

ALTER TABLE ONLY public.judging_tryanswer
    ADD CONSTRAINT try_answer_on_scale FOREIGN KEY (criterion_id, value) REFERENCES public.judging_scalepoint(criterion_id, value);

REVOKE ALL ON FUNCTION public.judging_analyze(tables regclass[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.judging_erase_judgments(wanted bigint, by_whom bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.judging_event_seal() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.judging_remove_dry_run_judgments(wanted bigint, by_whom bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.judging_take_back_judgments(file bigint, by_whom bigint) FROM PUBLIC;

INSERT INTO public.django_migrations (app, name, applied) VALUES ('analysis', '0001_initial', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('analysis', '0002_initial', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('analysis', '0003_run_read_state', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('analysis', '0010_kept_examples', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('analysis', '0200_question_orders', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('analysis', '0320_report_pages', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('analysis', '0340_no_kept_orders', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0001_initial', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0002_alter_permission_name_max_length', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0003_alter_user_email_max_length', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0004_alter_user_username_opts', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0005_alter_user_last_login_null', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0006_require_contenttypes_0002', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0007_alter_validators_add_error_messages', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0008_alter_user_username_max_length', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0009_alter_user_last_name_max_length', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0010_alter_group_name_max_length', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0011_update_proxy_permissions', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('auth', '0012_alter_user_first_name_max_length', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('contenttypes', '0001_initial', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('contenttypes', '0002_remove_content_type_name', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0001_initial', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0002_triggers', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0003_assignments_of_an_annotator', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0004_rubric_drafts', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0005_markings', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0006_judgment_attributes', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0007_log_in_attempts', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0008_units_of_answers', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0009_rotated_panels', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0010_added_files', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0011_take_back', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0012_system_changes', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0013_repeats', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0014_repeats_documented', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0015_ids_handed_out', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0020_campaign_secret', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0021_versions_of_accounts', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0022_links_for_annotators', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0023_collection_shares', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0024_longest_lease', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0025_statistics_for_the_planner', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0026_campaign_selection', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0027_tasks_per_annotator', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0028_reopened_places', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0030_indexes_of_an_annotators_assignments', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0050_machine_judges', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0051_score_detail', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0060_history', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0061_second_factor', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0062_withdrawal', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0080_campaign_pay', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0100_quality', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0101_checks', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0102_overview', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0120_crowd_platforms', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0140_rounds', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0141_decisions', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0142_exercises', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0143_ethics', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0160_retention', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0180_take_back_judgments', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0190_preregistration', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0210_dry_runs', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0211_exit_form', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0212_authorships', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0300_asking_judges', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0310_reproductions', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0311_adjudication', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0312_sona', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0340_functions_note_what_they_remove', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0350_where_judgments_belong', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0360_visitors_of_log_ins', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0370_large_collections_and_changed_tasks', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0380_time_at_work_counted_once', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0390_studies_of_a_crowd_platform', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0400_times_of_events', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0410_turned_away_submissions', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0420_parts_of_files', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0430_answers_about_uploads', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0440_scores_read_from_their_index', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0450_no_kept_counts_of_collections', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0460_queues_and_parts_of_jobs', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0470_split_names_of_systems', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0480_languages_of_sources', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0490_no_uploads', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0500_scopes_and_idempotency', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0510_hypotheses', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0520_conditions_of_judging', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0530_webhooks', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0540_review_and_keywords', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('judging', '0550_keywords_as_a_condition', now());
INSERT INTO public.django_migrations (app, name, applied) VALUES ('sessions', '0001_initial', now());
-- made by the command write_first_tables; migrations and statements: 1e59c1efd2d10d32ebe1380af856dff564decce1d8ab1fc26bf8af4af3cd421e
